// The pieces of all sources of a request, in the groups in which they are searched.
//
//   text    is short: all sources are read, and pieces of similar length are searched together
//   others  recordings, pictures and other files are read one after the other, and a group is complete
//           as soon as a batch of them, or as many rows or bytes as are held at a time, are there. So a
//           request holds little, however many files it names, if a group is searched before the next
//           is asked for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heed/engine/answer/source_pieces.h"

namespace heed {

class PieceGroups {
 public:
  /// What is referred to must outlive it.
  PieceGroups(const TrainedModel& trained, std::span<const Source> sources,
              const AnswerOptions& options);

  /// Reads the pieces that are searched together next; none: all were.
  std::vector<Piece*> next();
  /// Those of every source that was read.
  std::vector<std::vector<Piece>>& all() { return pieces_; }

 private:
  const Field& field() const { return *trained_.fields.source; }
  void read_pieces();
  void read_all();
  std::vector<Piece*> next_by_length();
  std::vector<Piece*> next_as_read();

  const TrainedModel& trained_;
  std::span<const Source> sources_;
  const AnswerOptions& options_;
  SentenceOptions sentence_;                // what the options say of every sentence
  std::vector<std::vector<Piece>> pieces_;  // by source
  std::vector<Piece*> order_;               // text: by length
  size_t given_ = 0;                        // text: of these
  size_t at_ = 0;                           // others: the next piece of the source read last
};

}  // namespace heed
