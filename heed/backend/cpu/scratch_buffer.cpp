#include "heed/backend/cpu/scratch_buffer.h"

namespace heed::cpu {
namespace {

/// The first of this thread's buffers that hold memory. It has no destructor, so that buffers may
/// outlive it.
constinit thread_local ScratchBuffer* first_buffer = nullptr;

}  // namespace

ScratchBuffer::~ScratchBuffer() {
  for (ScratchBuffer** link = &first_buffer; *link != nullptr; link = &(*link)->next_) {
    if (*link == this) {
      *link = next_;
      return;
    }
  }
}

void ScratchBuffer::grow(size_t lines) {
  if (lines_.empty()) {
    next_ = first_buffer;
    first_buffer = this;
  }
  lines_.clear();
  lines_.resize(lines);
}

void ScratchBuffer::release_all() {
  while (first_buffer != nullptr) {
    ScratchBuffer* buffer = first_buffer;
    first_buffer = buffer->next_;
    buffer->next_ = nullptr;
    std::vector<Line>().swap(buffer->lines_);
  }
}

size_t ScratchBuffer::bytes_of_thread() {
  size_t bytes = 0;
  for (const ScratchBuffer* buffer = first_buffer; buffer != nullptr; buffer = buffer->next_) {
    bytes += buffer->lines_.size() * sizeof(Line);
  }
  return bytes;
}

}  // namespace heed::cpu
