// The catalogue of verbs: the one list. To add one: its file in verb/, and its line in verbs.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/cli/verb.h"

namespace heed {

std::unique_ptr<Verb> train_verb();
std::unique_ptr<Verb> translate_verb();
std::unique_ptr<Verb> caption_verb();
std::unique_ptr<Verb> transcribe_verb();
std::unique_ptr<Verb> label_verb();
std::unique_ptr<Verb> align_verb();
std::unique_ptr<Verb> evaluate_verb();
std::unique_ptr<Verb> score_verb();
std::unique_ptr<Verb> inspect_verb();
std::unique_ptr<Verb> models_verb();
std::unique_ptr<Verb> doctor_verb();
std::unique_ptr<Verb> synth_verb();
std::unique_ptr<Verb> completion_verb();
std::unique_ptr<Verb> manual_verb();

const Catalogue<Verb>& verbs();

}  // namespace heed
