// The catalogue of catalogues: every kind of part, in the order in which a reader should meet them.
//
// `heed inspect --parts`, the tables of the pages and the tests loop over it. To add a kind: its
// line in catalogues.cpp; a test fails on a catalogue that is not listed.
#pragma once

#if __cplusplus < 202002L
#error "heed needs C++20; compile with -std=c++20"
#endif

#include <vector>

#include "heed/base/catalogue.h"

namespace heed {

std::vector<Listing> catalogues();

}  // namespace heed
