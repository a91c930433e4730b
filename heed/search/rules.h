// The catalogue of rules: the one list. To add one: its file in rule/, with its settings, and its line
// in rules.cpp. Options, help, completion and man pages follow.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/search/rule.h"

namespace heed {

const Catalogue<Rule>& rules();

}  // namespace heed
