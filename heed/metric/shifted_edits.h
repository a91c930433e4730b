// The edits of TER (Snover et al. 2006): words inserted, deleted, substituted, and blocks of words
// moved, each at a cost of 1.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Words are numbers (WordNumbers). Blocks are moved greedily, the one that saves most first, as in
/// Tercom and sacreBLEU. The result is not always the least possible, but equals theirs.
long shifted_edits(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace heed
