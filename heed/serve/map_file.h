// Maps of attention as a safetensors file, which a page reads in twenty lines and Python with its own library.
//
//   tensors    "block.0", "block.1", …: [heads, rows, columns], as u8 (255 is 1) or f32
//   metadata   of, rows and columns (the tokens, as lists of JSON), first_head, and of a picture grid
#pragma once

#include <cstdint>
#include <string>

#include "heed/engine/answer/attention_maps.h"

namespace heed {

struct MapFileOptions {
  int64_t block = -1;  // −1: all
  int64_t head = -1;   // −1: all
  bool is_exact = false;
  int64_t most_bytes = 0;  // of the tensors
};

/// Fault::usage where there is no such block or head, or where it would be larger; then it says what to ask
/// for instead.
std::string written_map_file(const AttentionMaps& maps, const MapFileOptions& options);

}  // namespace heed
