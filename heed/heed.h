// heed for programs that use it: load a model, ask it, train one.
//
//   heed::Engine engine({.threads = 4});
//   const heed::LoadedModel model = engine.load("en-zh.safetensors");
//   const heed::Answer answer = model.translate({.texts = {"Hello."}, .options = {.beam = 5}}).front();
//   std::puts(answer.best().text.c_str());
//
// It needs C++20. A call prints nothing, reads no environment and ends no process: whatever goes wrong
// is a heed::Error, whose fault() says of what kind. Programs that add parts of their own include
// heed/extend.h.
#pragma once

#include "heed/api/engine.h"
#include "heed/api/loaded_model.h"
#include "heed/api/request.h"
#include "heed/api/training_run.h"
#include "heed/base/fault.h"
