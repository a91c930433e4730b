// Every head of every block, for one source and one target: where a decoder looks in the source
// (cross), where it looks in its own words (self), and where an encoder looks in the source
// (encoder).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/model/file/model_file.h"
#include "heed/see/drawing_options.h"
#include "heed/see/panels.h"

namespace heed {

/// cross, self or encoder.
const char* name_of(AttentionOf of);

struct AttentionMaps {
  AttentionOf of = AttentionOf::cross;
  std::vector<std::string> rows;     // T tokens that look
  std::vector<std::string> columns;  // S tokens that are looked at
  bool rows_end = false;             // the last row is the end of its text,
  bool columns_end = false;          // the last column is,
  bool columns_begin = false;        // the first column is the start
  GridExtent grid;                   // of a picture's cells as columns; 0: they are no grid
  struct Block {
    std::vector<std::vector<float>> heads;  // [T, S] each
  };
  std::vector<Block> blocks;

  /// The weights of one block and head; −1: the mean of all. An end is drawn as one narrow cell, ⏎,
  /// and the start as ▷. Fault::usage where there is no such block or head.
  HeatMap map(int64_t block, int64_t head) const;
  /// Every head of a block, or of all blocks (−1), a panel each; a block begins a row.
  Panels panels(int64_t block) const;
};

/// The weights that the operator computes in one pass over the pair, in which the decoder is fed
/// the target: for `self`, the row of a word has the weights of the words before it, the start
/// included. Fault::usage where the model has no such attention.
AttentionMaps attention_maps(const TrainedModel& trained, const Source& source,
                             const std::string& target, AttentionOf of);
/// The same for the words that a search found, with or without the end, which may not be those that the
/// tokeniser makes of their text.
AttentionMaps attention_maps(const TrainedModel& trained, const Source& source,
                             std::span<const TokenId> target, AttentionOf of);

struct WhichMaps {
  AttentionOf of = AttentionOf::cross;
  int64_t block = -1;  // −1: all
  int64_t head = -1;
};
/// Fault::usage where the model, which reads text or nothing, has no such attention, block or head:
/// found out before anything is printed.
void check_attends(const TrainedModel& trained, const WhichMaps& which);

/// −Σ p log p in nats, with 0 log 0 = 0.
double entropy(std::span<const float> weights);
/// The places of the k largest weights above 0, largest first; of equal ones the first.
std::vector<size_t> strongest(std::span<const float> weights, size_t k);

}  // namespace heed
