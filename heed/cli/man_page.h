// Man pages in roff, made from the table of options.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/verb_table.h"

namespace heed {

/// heed(1): the verbs and what they share.
std::string man_page(const std::vector<VerbRow>& verbs, const std::string& version);
/// heed-VERB(1).
std::string man_page(const VerbRow& verb, const std::string& version);

}  // namespace heed
