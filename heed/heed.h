// The header for programs that use heed: load a model, run it, train one.
//
//   heed::Engine engine({.threads = 4});
//   const heed::LoadedModel model = engine.load("en-zh.safetensors");
//   const heed::Answer answer = model.translate({.texts = {"Hello."}, .options = {.beam = 5}}).front();
//   std::puts(answer.best().text.c_str());
//
// heed needs C++20. Its functions print nothing, read no environment variables and never end the
// process. Every failure is a heed::Error, whose fault() says what kind it is. Programs that add their
// own parts include heed/extend.h as well.
#pragma once

#include "heed/api/engine.h"
#include "heed/api/loaded_model.h"
#include "heed/api/request.h"
#include "heed/api/request_watcher.h"
#include "heed/api/ticket.h"
#include "heed/api/training_run.h"
#include "heed/base/fault.h"
