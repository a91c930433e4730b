#include "heed/engine/answer/piece_groups.h"

#include <algorithm>

#include "heed/engine/answer/request.h"

namespace heed {
namespace {

/// The pieces that are not empty, longest first, so that a batch has pieces of similar length. A
/// language model continues a piece, which may be empty.
std::vector<Piece*> by_length(std::vector<std::vector<Piece>>& sources, bool has_source) {
  std::vector<Piece*> order;
  for (std::vector<Piece>& pieces : sources) {
    for (Piece& piece : pieces) {
      if (!has_source || !piece.read.item.empty()) {
        order.push_back(&piece);
      }
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Piece* a, const Piece* b) {
    return a->read.item.size() > b->read.item.size();
  });
  return order;
}

/// How many of these pieces, the longest first, are searched together: at most `most`, and fewer if
/// they are long, because the memory of a search grows with all of their words.
size_t count_together(std::span<Piece* const> pieces, size_t most) {
  const auto longest = static_cast<size_t>(std::max<int64_t>(pieces.front()->rows, 1));
  return std::min({pieces.size(), most, std::max<size_t>(most_tokens_together / longest, 1)});
}

size_t batch_of(const AnswerOptions& options) {
  return static_cast<size_t>(std::max<int64_t>(options.batch, 1));
}

}  // namespace

PieceGroups::PieceGroups(const TrainedModel& trained, std::span<const Source> sources,
                         const AnswerOptions& options)
    : trained_(trained),
      sources_(sources),
      options_(options),
      sentence_(sentence_options(trained.fields.target->vocabulary(), options)) {
  pieces_.reserve(sources.size());  // pieces stay where they are
}

std::vector<Piece*> PieceGroups::next() {
  return is_read_late(field()) ? next_as_read() : next_by_length();
}

/// The pieces of the next source, not read yet.
void PieceGroups::read_pieces() {
  const size_t i = pieces_.size();
  pieces_.push_back(pieces_of(sources_[i], i, trained_, options_, sentence_));
}

void PieceGroups::read_all() {
  while (pieces_.size() < sources_.size()) {
    read_pieces();
    for (Piece& piece : pieces_.back()) {
      read_source(trained_, piece);
    }
    mark_if_long(pieces_.back(), field());
  }
  order_ = by_length(pieces_, !field().is_none());
}

std::vector<Piece*> PieceGroups::next_by_length() {
  if (pieces_.size() < sources_.size()) {
    read_all();
  }
  const std::span<Piece* const> rest = std::span<Piece* const>(order_).subspan(given_);
  if (rest.empty()) {
    return {};
  }
  const auto some = rest.first(count_together(rest, batch_of(options_)));
  given_ += some.size();
  return {some.begin(), some.end()};
}

/// A piece that does not fit is read, and is the first of the next group.
std::vector<Piece*> PieceGroups::next_as_read() {
  std::vector<Piece*> some;
  size_t rows = 0;
  size_t bytes = 0;
  while (at_ < (pieces_.empty() ? 0 : pieces_.back().size()) || pieces_.size() < sources_.size()) {
    if (pieces_.empty() || at_ == pieces_.back().size()) {
      read_pieces();
      at_ = 0;
      continue;
    }
    Piece& piece = pieces_.back()[at_];
    if (piece.read.item.empty()) {
      read_source(trained_, piece);
    }
    rows += static_cast<size_t>(piece.rows);
    bytes += piece.read.item.size();
    if (some.size() == batch_of(options_) ||
        (!some.empty() && (rows > most_rows_together || bytes > most_bytes_together))) {
      break;
    }
    ++at_;
    if (!piece.read.item.empty()) {
      some.push_back(&piece);
    }
  }
  return some;
}

}  // namespace heed
