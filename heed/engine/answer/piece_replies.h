// What a search has found for a piece, as replies.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/engine/answer/source_pieces.h"

namespace heed {

/// The hypotheses of a piece become replies, behind those that it has.
void add_replies(const TrainedModel& trained, const AnswerOptions& options, Piece& piece);
/// The same for a piece that has none yet. Warns if the best reached the last of the `longest` positions
/// that the models have.
void begin_replies(const TrainedModel& trained, const AnswerOptions& options, int64_t longest,
                   Piece& piece);
/// Drops replies whose text a better one has, and those beyond the n best.
void keep_distinct(std::vector<Reply>& all, int64_t n_best);

}  // namespace heed
