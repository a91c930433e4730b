#include "heed/backend/cpu/room.h"

namespace heed::cpu {
namespace {

/// The first of this thread's rooms that hold memory. It has no destructor, so that rooms may
/// outlive it.
constinit thread_local Room* first_room = nullptr;

}  // namespace

Room::~Room() {
  for (Room** link = &first_room; *link != nullptr; link = &(*link)->next_) {
    if (*link == this) {
      *link = next_;
      return;
    }
  }
}

void Room::grow(size_t lines) {
  if (lines_.empty()) {
    next_ = first_room;
    first_room = this;
  }
  lines_.clear();
  lines_.resize(lines);
}

void Room::release_all() {
  while (first_room != nullptr) {
    Room* room = first_room;
    first_room = room->next_;
    room->next_ = nullptr;
    std::vector<Line>().swap(room->lines_);
  }
}

size_t Room::bytes_of_thread() {
  size_t bytes = 0;
  for (const Room* room = first_room; room != nullptr; room = room->next_) {
    bytes += room->lines_.size() * sizeof(Line);
  }
  return bytes;
}

}  // namespace heed::cpu
