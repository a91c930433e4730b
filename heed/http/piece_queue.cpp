#include "heed/http/piece_queue.h"

#include <algorithm>
#include <utility>

namespace heed {

void PieceQueue::add(std::string bytes, StreamPiece kind) {
  bytes_ += bytes.size();
  waiting_.push_back({std::move(bytes), kind});
  auto oldest = waiting_.begin();
  while (bytes_ > most_bytes_) {
    oldest = std::find_if(oldest, waiting_.end(),
                          [](const Waiting& one) { return one.kind == StreamPiece::droppable; });
    if (oldest == waiting_.end()) {
      return;
    }
    bytes_ -= oldest->bytes.size();
    oldest = waiting_.erase(oldest);
    ++dropped_;
  }
}

std::string PieceQueue::take() {
  std::string all;
  all.reserve(bytes_);
  for (const Waiting& one : waiting_) {
    all += one.bytes;
  }
  waiting_.clear();
  bytes_ = 0;
  return all;
}

}  // namespace heed
