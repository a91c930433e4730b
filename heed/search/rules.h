// The catalogue of rules: the one list. To add one: its file in rule/, with its settings, its line in
// rules.cpp, and the declaration of its factory here. Options, help, completion and man pages follow.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/search/rule.h"

namespace heed {

std::unique_ptr<Rule> min_length_rule();
std::unique_ptr<Rule> no_repeat_ngram_rule();

const Catalogue<Rule>& rules();

}  // namespace heed
