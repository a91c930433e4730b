#include "heed/device/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "heed/base/error.h"
#include "heed/device/out_of_memory.h"

namespace heed {
namespace {

/// The arena that this thread uses, of whichever allocator.
constinit thread_local Arena* used_arena = nullptr;

constexpr size_t size_classes = 4 * 64;  // four for each power of two

/// A class of blocks of one size, and its number among all sizes: 0 is one alignment, 1 is two of
/// them, and so on.
struct SizeClass {
  size_t size;
  size_t number;
};

/// Four classes for each power of two: at most a quarter is wasted, and similar sizes share a
/// class.
SizeClass class_of(size_t bytes, size_t alignment) {
  const size_t even = 4 * alignment;  // up to here every multiple of the alignment is a class
  constexpr size_t most = size_t{1}
                          << 52;  // no tensor has more, and rounding it up cannot overflow
  if (bytes > most) {
    throw OutOfMemory(fmt::format(
        "memory: {} bytes are asked for, more than the {} possible; choose smaller sizes", bytes,
        most));
  }
  if (bytes <= even) {
    const size_t number = (std::max<size_t>(bytes, 1) - 1) / alignment;
    return {(number + 1) * alignment, number};
  }
  const size_t step = std::bit_floor(bytes) / 4;
  const size_t size = (bytes + step - 1) & ~(step - 1);
  const auto octave = static_cast<size_t>(std::bit_width(size) - std::bit_width(even));
  return {size, 3 + 4 * octave + ((size - std::bit_floor(size)) >> (std::bit_width(size) - 3))};
}

}  // namespace

/// The lists of kept blocks, one for each size; guarded by the allocator's lock.
class BlockPool {
 public:
  BlockPool(Stream stream, bool is_arena) : stream(stream), is_arena(is_arena) {}

  /// Null if there is none of this size.
  MemoryBlock* take(size_t number) {
    MemoryBlock* block = first_[number];
    if (block != nullptr) {
      first_[number] = block->next;
      kept_bytes_ -= static_cast<int64_t>(block->bytes);
    }
    return block;
  }
  void keep(MemoryBlock* block) {
    block->next = std::exchange(first_[block->size_class], block);
    kept_bytes_ += static_cast<int64_t>(block->bytes);
  }
  int64_t kept_bytes() const { return kept_bytes_; }
  /// Every list, which then is empty here.
  std::array<MemoryBlock*, size_classes> take_all() {
    kept_bytes_ = 0;
    return std::exchange(first_, {});
  }

  const Stream stream;
  const bool is_arena;
  bool is_closed = false;  // its arena has ended
  int64_t live = 0;        // blocks in use

 private:
  std::array<MemoryBlock*, size_classes> first_{};
  int64_t kept_bytes_ = 0;
};

CachingAllocator::CachingAllocator(std::unique_ptr<RawMemory> memory)
    : memory_(std::move(memory)),
      alignment_(memory_->alignment()),
      pool_(std::make_unique<BlockPool>(Stream{0}, false)) {}

CachingAllocator::~CachingAllocator() { free_cached(); }

MemoryBlock* CachingAllocator::allocate(size_t bytes) {
  const auto [size, number] = class_of(bytes, alignment_);
  const bool is_arena = used_arena != nullptr && &used_arena->allocator_ == this;
  BlockPool& pool = is_arena ? *used_arena->pool_ : *pool_;
  MemoryBlock* block = nullptr;
  {
    const std::lock_guard guard(lock_);
    ++statistics_.requests;
    ++pool.live;
    statistics_.live_bytes += static_cast<int64_t>(size);
    block = pool.take(number);
    if (block != nullptr) {
      (is_arena ? statistics_.arena_bytes : statistics_.cached_bytes) -= static_cast<int64_t>(size);
      statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
    } else {
      ++statistics_.system_allocations;
    }
  }
  return block != nullptr ? block : ask_system(pool, size, number);
}

MemoryBlock* CachingAllocator::ask_system(BlockPool& pool, size_t size, size_t number) {
  std::unique_ptr<MemoryBlock> block;
  try {
    block = std::make_unique<MemoryBlock>();
    make_room(size, "use smaller batches");
    block->data = memory_->allocate(size, pool.stream);
  } catch (...) {
    const std::lock_guard guard(lock_);
    --pool.live;
    statistics_.live_bytes -= static_cast<int64_t>(size);
    throw;
  }
  block->bytes = size;
  block->size_class = number;
  block->pool = &pool;
  const std::lock_guard guard(lock_);
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
  return block.release();
}

void CachingAllocator::take(size_t bytes) {
  {
    const std::lock_guard guard(lock_);
    statistics_.live_bytes += static_cast<int64_t>(bytes);
  }
  try {
    make_room(bytes, "give a smaller file");
  } catch (...) {
    give_back(bytes);
    throw;
  }
  const std::lock_guard guard(lock_);
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
}

void CachingAllocator::give_back(size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  statistics_.live_bytes -= static_cast<int64_t>(bytes);
}

/// Memory that is kept for reuse is returned first. `cure` says what helps besides a higher limit.
void CachingAllocator::make_room(size_t size, const char* cure) {
  AllocatorStatistics now = statistics();
  const auto held = [&now] { return now.live_bytes + now.arena_bytes; };
  if (now.limit_bytes == 0 || held() + now.cached_bytes <= now.limit_bytes) {
    return;
  }
  free_cached();
  now = statistics();
  if (held() > now.limit_bytes) {
    const auto megabytes = [](int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    const auto asked = static_cast<int64_t>(size);
    throw OutOfMemory(fmt::format(
        "memory: {:.4g} MB are asked for and {:.4g} MB are in use, which is beyond the limit of "
        "{:.4g} MB; {}, or raise the limit",
        megabytes(asked), megabytes(held() - asked), megabytes(now.limit_bytes), cure));
  }
}

void CachingAllocator::free(MemoryBlock* block) noexcept {
  BlockPool& pool = *block->pool;
  bool is_last = false;
  {
    const std::lock_guard guard(lock_);
    const auto size = static_cast<int64_t>(block->bytes);
    statistics_.live_bytes -= size;
    --pool.live;
    if (!pool.is_closed) {
      (pool.is_arena ? statistics_.arena_bytes : statistics_.cached_bytes) += size;
      pool.keep(block);
      return;
    }
    is_last = pool.live == 0;
  }
  block->next = nullptr;
  free_list(block);
  if (is_last) {
    delete &pool;
  }
}

void CachingAllocator::trim() {
  free_cached();
  memory_->trim();
}

void CachingAllocator::free_cached() {
  std::array<MemoryBlock*, size_classes> lists{};
  {
    const std::lock_guard guard(lock_);
    lists = pool_->take_all();
    statistics_.cached_bytes = 0;
  }
  std::for_each(lists.begin(), lists.end(), [this](MemoryBlock* first) { free_list(first); });
}

void CachingAllocator::free_list(MemoryBlock* first) noexcept {
  while (first != nullptr) {
    const std::unique_ptr<MemoryBlock> block(std::exchange(first, first->next));
    memory_->free(block->data, block->bytes, block->pool->stream);
  }
}

void CachingAllocator::close(BlockPool* pool) noexcept {
  std::array<MemoryBlock*, size_classes> lists{};
  bool is_last = false;
  {
    const std::lock_guard guard(lock_);
    statistics_.arena_bytes -= pool->kept_bytes();
    lists = pool->take_all();
    pool->is_closed = true;
    is_last = pool->live == 0;
  }
  std::for_each(lists.begin(), lists.end(), [this](MemoryBlock* first) { free_list(first); });
  if (is_last) {
    delete pool;
  }
}

AllocatorStatistics CachingAllocator::statistics() const {
  const std::lock_guard guard(lock_);
  return statistics_;
}

void CachingAllocator::set_limit(int64_t bytes) {
  const std::lock_guard guard(lock_);
  statistics_.limit_bytes = bytes;
}

void CachingAllocator::reset_peak() {
  const std::lock_guard guard(lock_);
  statistics_.peak_bytes = statistics_.live_bytes;
}

Arena::Arena(CachingAllocator& allocator, Stream stream)
    : allocator_(allocator), pool_(new BlockPool(stream, true)) {}

Arena::~Arena() { allocator_.close(pool_); }

UseArena::UseArena(Arena& arena) : before_(std::exchange(used_arena, &arena)) {}

UseArena::~UseArena() { used_arena = before_; }

}  // namespace heed
