// The pieces of a stream that wait until its reader takes them, in bounded memory: a slow reader gets fewer
// of those that may be dropped, and always gets the others.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace heed {

/// kept: a stream must have few of them, because nothing bounds their memory.
enum class StreamPiece { kept, droppable };

class PieceQueue {
 public:
  explicit PieceQueue(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Where the bytes that wait exceed the limit, the oldest droppable pieces go.
  void add(std::string bytes, StreamPiece kind);
  /// All that waits, as one text.
  std::string take();
  std::size_t bytes() const { return bytes_; }
  /// How many pieces were dropped so far.
  std::size_t dropped() const { return dropped_; }

 private:
  struct Waiting {
    std::string bytes;
    StreamPiece kind;
  };

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t dropped_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace heed
