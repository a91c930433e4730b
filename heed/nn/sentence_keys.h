// The keys by which the rows of a sentence draw: two numbers for the sentence and one for the position. So
// what is drawn for a sentence depends neither on its batch nor on the other sentences, and is the same in a
// search and where its words are taught.
#pragma once

#include <array>
#include <cstdint>

#include "heed/nn/pass.h"
#include "heed/tensor/layout.h"

namespace heed {

/// `number` is the sentence's, `sample` which of its outputs it is.
std::array<int32_t, 2> sentence_key(uint64_t seed, uint64_t number, uint64_t sample);

/// Begins a step of the pass whose rows are all positions of the layout's sentences, if sentences have
/// keys in this pass.
void begin_positions(Pass& pass, const Layout& layout, const Place& place);
/// The same for one position of every sentence.
void begin_position(Pass& pass, int64_t position, const Place& place);

}  // namespace heed
