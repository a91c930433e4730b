// The catalogue of verbs: the one list. To add one: its file in verb/, and its line in verbs.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/cli/verb.h"

namespace heed {

const Catalogue<Verb>& verbs();

}  // namespace heed
