// Fused against composed, in turns: every score and normaliser that has a kernel, from one row and
// one slot up to 512 of each, rows of a decoder and beams among them.
#pragma once

#include <ostream>
#include <string>

namespace heed {

/// Takes about so many seconds; a line of JSON for each case, slowest ratio first. `only`: cases
/// whose "score normaliser focus pass TxS" holds this.
void sweep(std::ostream& out, double seconds, const std::string& only);

}  // namespace heed
