// The texts that --help prints, wrapped to a number of columns.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/verbs.h"

namespace heed {

std::string program_help(size_t columns);
std::string verb_help(const VerbRow& verb, size_t columns);

/// The headings of a verb's options, in the order in which help and man pages show them; the first is
/// empty, for options without one.
std::vector<std::string> headings_of(const VerbRow& verb);

// Man pages in roff, made from the table of options.

/// heed(1): the verbs and what they share.
std::string man_page(const std::vector<VerbRow>& verbs, const std::string& version);
/// heed-VERB(1).
std::string man_page(const VerbRow& verb, const std::string& version);

}  // namespace heed
