#include "heed/device/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <set>
#include <thread>

#include "heed/base/error.h"
#include "heed/device/out_of_memory.h"

namespace heed::caching_allocator_test {
namespace {

/// Counts what goes in and out.
class CountedMemory : public RawMemory {
 public:
  explicit CountedMemory(int64_t& live) : live_(live) {}
  void* allocate(size_t bytes, Stream stream) override {
    live_ += static_cast<int64_t>(bytes);
    return host_->allocate(bytes, stream);
  }
  void free(void* pointer, size_t bytes, Stream stream) override {
    live_ -= static_cast<int64_t>(bytes);
    host_->free(pointer, bytes, stream);
  }

 private:
  int64_t& live_;
  std::unique_ptr<RawMemory> host_ = host_memory();
};

std::set<void*> data_of(const std::vector<MemoryBlock*>& blocks) {
  std::set<void*> all;
  for (const MemoryBlock* block : blocks) {
    all.insert(block->data);
  }
  return all;
}

TEST(CachingAllocator, GivesOutAgainWhatCameBack) {
  CachingAllocator allocator(host_memory());
  MemoryBlock* first = allocator.allocate(1000);
  allocator.free(first);
  EXPECT_EQ(allocator.allocate(1000), first);
  EXPECT_EQ(allocator.statistics().system_allocations, 1);
  EXPECT_EQ(allocator.statistics().requests, 2);
  allocator.free(first);
  // Sizes that nearly agree share a class.
  EXPECT_EQ(allocator.allocate(990), first);
  allocator.free(first);
}

TEST(CachingAllocator, LargeBlocksBeginWhereAHugePageCan) {
  CachingAllocator allocator(host_memory());
  for (const size_t bytes : {size_t{4} << 20, size_t{5000000}, size_t{64} << 20}) {
    MemoryBlock* large = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large->data) % (size_t{2} << 20), 0U) << bytes;
    std::fill_n(static_cast<char*>(large->data), bytes, 'x');
    allocator.free(large);
  }
  allocator.trim();
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
}

TEST(CachingAllocator, MemoryThatLiesElsewhereCountsAsWell) {
  CachingAllocator allocator(host_memory());
  allocator.set_limit(10'000);
  allocator.free(allocator.allocate(4096));
  allocator.take(9000);
  EXPECT_EQ(allocator.statistics().live_bytes, 9000);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0) << "what was kept made room";
  EXPECT_THROW(allocator.take(2000), OutOfMemory);
  EXPECT_THROW(allocator.allocate(2048), OutOfMemory);
  EXPECT_EQ(allocator.statistics().live_bytes, 9000);
  EXPECT_EQ(allocator.statistics().peak_bytes, 9000);
  allocator.give_back(9000);
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
}

TEST(CachingAllocator, StatisticsAddUp) {
  CachingAllocator allocator(host_memory());
  MemoryBlock* a = allocator.allocate(64);
  MemoryBlock* b = allocator.allocate(128);
  EXPECT_EQ(allocator.statistics().live_bytes, 192);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
  allocator.free(a);
  EXPECT_EQ(allocator.statistics().live_bytes, 128);
  EXPECT_EQ(allocator.statistics().cached_bytes, 64);
  EXPECT_EQ(allocator.statistics().peak_bytes, 192);
  allocator.reset_peak();
  EXPECT_EQ(allocator.statistics().peak_bytes, 128);
  allocator.free(b);
  allocator.trim();
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
}

TEST(CachingAllocator, EveryBlockIsAlignedAndItsOwn) {
  CachingAllocator allocator(host_memory());
  std::vector<MemoryBlock*> blocks;
  for (size_t bytes = 0; bytes < 300; ++bytes) {
    MemoryBlock* block = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data) % 64, 0U);
    std::fill_n(static_cast<char*>(block->data), bytes, 'x');  // the sanitizer watches the end
    blocks.push_back(block);
  }
  EXPECT_EQ(data_of(blocks).size(), blocks.size());
  for (size_t bytes = 0; bytes < 300; ++bytes) {
    allocator.free(blocks[bytes]);
  }
}

TEST(CachingAllocator, WastesAtMostAQuarterBeyondTheSmallest) {
  for (size_t bytes = 1; bytes < (1U << 20); bytes = bytes * 9 / 8 + 1) {
    int64_t system = 0;
    CachingAllocator allocator(std::make_unique<CountedMemory>(system));
    MemoryBlock* block = allocator.allocate(bytes);
    EXPECT_GE(system, static_cast<int64_t>(bytes));
    EXPECT_LE(static_cast<double>(system), 1.25 * static_cast<double>(bytes) + 64) << bytes;
    allocator.free(block);
  }
}

TEST(CachingAllocator, HandsBackOnTrimAndAtItsEnd) {
  int64_t system = 0;
  {
    CachingAllocator allocator(std::make_unique<CountedMemory>(system));
    allocator.free(allocator.allocate(5000));
    EXPECT_GE(system, 5000);
    allocator.trim();
    EXPECT_EQ(system, 0);
    allocator.free(allocator.allocate(700));
    EXPECT_GE(system, 700);
  }
  EXPECT_EQ(system, 0);
}

TEST(CachingAllocator, KeepsToItsLimit) {
  int64_t system = 0;
  CachingAllocator allocator(std::make_unique<CountedMemory>(system));
  allocator.set_limit(3 << 20);
  EXPECT_EQ(allocator.statistics().limit_bytes, 3 << 20);
  MemoryBlock* held = allocator.allocate(1 << 20);
  allocator.free(allocator.allocate(2 << 20));
  EXPECT_EQ(system, 3 << 20);
  MemoryBlock* other = allocator.allocate(3 << 19);
  EXPECT_EQ(system, (1 << 20) + (3 << 19)) << "what is kept makes room first";
  try {
    allocator.allocate(1 << 20);
    FAIL() << "3.5 MB of 3";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "memory: 1.049 MB are asked for and 2.621 MB are in use, which is beyond the "
                 "limit of 3.146 MB; use smaller batches, or raise the limit");
  }
  EXPECT_EQ(allocator.statistics().live_bytes, (1 << 20) + (3 << 19));
  EXPECT_EQ(allocator.statistics().peak_bytes, 3 << 20) << "what was refused was not handed out";
  allocator.free(other);
  allocator.free(allocator.allocate(2 << 20));
  allocator.set_limit(0);
  allocator.free(allocator.allocate(64 << 20));
  allocator.free(held);
}

TEST(CachingAllocator, ASteadyLoopAsksTheSystemForNothing) {
  CachingAllocator allocator(host_memory());
  const auto step = [&] {
    MemoryBlock* a = allocator.allocate(4096);
    MemoryBlock* b = allocator.allocate(12345);
    allocator.free(a);
    MemoryBlock* c = allocator.allocate(100);
    allocator.free(b);
    allocator.free(c);
  };
  step();
  const int64_t after_first = allocator.statistics().system_allocations;
  for (int i = 0; i < 100; ++i) {
    step();
  }
  EXPECT_EQ(allocator.statistics().system_allocations, after_first);
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
}

TEST(CachingAllocator, ThreadsShareIt) {
  CachingAllocator allocator(host_memory());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const size_t bytes = static_cast<size_t>(64 * (1 + (i + t) % 5));
        MemoryBlock* block = allocator.allocate(bytes);
        auto* data = static_cast<char*>(block->data);
        data[0] = data[bytes - 1] = static_cast<char>(t);
        allocator.free(block);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(allocator.statistics().requests, 2000);
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
}

/// Remembers which streams' memory came and went, and wants what a GPU wants.
class StreamMemory : public RawMemory {
 public:
  explicit StreamMemory(std::map<Stream, int64_t>& live) : live_(live) {}
  size_t alignment() const override { return 256; }
  void* allocate(size_t bytes, Stream stream) override {
    live_[stream] += static_cast<int64_t>(bytes);
    return ::operator new (bytes, std::align_val_t{256});
  }
  void free(void* pointer, size_t bytes, Stream stream) override {
    live_[stream] -= static_cast<int64_t>(bytes);
    ::operator delete (pointer, std::align_val_t{256});
  }

 private:
  std::map<Stream, int64_t>& live_;
};

TEST(CachingAllocator, AlignsAndRoundsAsItsMemoryWants) {
  std::map<Stream, int64_t> live;
  {
    CachingAllocator allocator(std::make_unique<StreamMemory>(live));
    for (const auto& [bytes, size] : std::vector<std::pair<size_t, size_t>>{
             {0, 256}, {1, 256}, {257, 512}, {1024, 1024}, {1025, 1280}, {5000, 5120}}) {
      MemoryBlock* block = allocator.allocate(bytes);
      EXPECT_EQ(block->bytes, size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data) % 256, 0U);
      allocator.free(block);
      EXPECT_EQ(allocator.allocate(size), block) << bytes;
      allocator.free(block);
    }
  }
  EXPECT_EQ(live, (std::map<Stream, int64_t>{{0, 0}}));
}

/// A recorded step writes to the same addresses whenever it is run again.
TEST(Arenas, KeepTheirMemoryToThemselves) {
  int64_t system = 0;
  CachingAllocator allocator(std::make_unique<CountedMemory>(system));
  MemoryBlock* others = allocator.allocate(1000);
  allocator.free(others);
  MemoryBlock* inside = nullptr;
  {
    Arena arena(allocator);
    {
      const UseArena use(arena);
      inside = allocator.allocate(1000);
      EXPECT_NE(inside, others) << "what was used before may be handed out to somebody else";
      allocator.free(inside);
      EXPECT_EQ(allocator.allocate(1000), inside);
    }
    allocator.free(inside);
    EXPECT_EQ(allocator.statistics().arena_bytes, 1024);
    EXPECT_EQ(allocator.allocate(1000), others);
    MemoryBlock* more = allocator.allocate(1000);
    EXPECT_NE(more, inside);
    allocator.free(more);
    allocator.free(others);
    allocator.trim();
    EXPECT_EQ(system, 1024) << "the arena's stays";
    const UseArena again(arena);
    EXPECT_EQ(allocator.allocate(1000), inside);
    allocator.free(inside);
  }
  EXPECT_EQ(system, 0);
  EXPECT_EQ(allocator.statistics().arena_bytes, 0);
}

TEST(Arenas, MayEndBeforeWhatTheyGaveOut) {
  int64_t system = 0;
  CachingAllocator allocator(std::make_unique<CountedMemory>(system));
  MemoryBlock* first = nullptr;
  MemoryBlock* second = nullptr;
  {
    Arena arena(allocator);
    const UseArena use(arena);
    first = allocator.allocate(64);
    second = allocator.allocate(128);
    allocator.free(allocator.allocate(4096));
  }
  EXPECT_EQ(system, 192);
  allocator.free(first);
  EXPECT_EQ(system, 128) << "goes back to the system, not to others";
  allocator.free(second);
  EXPECT_EQ(system, 0);
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
}

TEST(Arenas, AreUsedByOneThreadAndOneAllocator) {
  CachingAllocator allocator(host_memory());
  CachingAllocator other(host_memory());
  Arena arena(allocator);
  Arena inner(allocator);
  const UseArena use(arena);
  other.free(other.allocate(64));
  EXPECT_EQ(other.statistics().cached_bytes, 64);
  std::thread([&] { allocator.free(allocator.allocate(64)); }).join();
  EXPECT_EQ(allocator.statistics().cached_bytes, 64);
  {
    const UseArena nested(inner);
    allocator.free(allocator.allocate(128));
  }
  allocator.free(allocator.allocate(256));
  EXPECT_EQ(allocator.statistics().cached_bytes, 64);
  EXPECT_EQ(allocator.statistics().arena_bytes, 128 + 256);
}

/// What one stream gave back may still be in use there, so no other gets it.
TEST(Arenas, OfAStreamAskForItsMemory) {
  std::map<Stream, int64_t> live;
  CachingAllocator allocator(std::make_unique<StreamMemory>(live));
  {
    Arena copies(allocator, 1);
    MemoryBlock* computing = allocator.allocate(256);
    allocator.free(computing);
    const UseArena use(copies);
    MemoryBlock* copied = allocator.allocate(256);
    EXPECT_NE(copied, computing);
    EXPECT_EQ(live, (std::map<Stream, int64_t>{{0, 256}, {1, 256}}));
    allocator.free(copied);
  }
  EXPECT_EQ(live, (std::map<Stream, int64_t>{{0, 256}, {1, 0}}));
}

TEST(Arenas, CountInTheLimit) {
  int64_t system = 0;
  CachingAllocator allocator(std::make_unique<CountedMemory>(system));
  allocator.set_limit(4096);
  Arena arena(allocator);
  {
    const UseArena use(arena);
    allocator.free(allocator.allocate(2048));
  }
  EXPECT_THROW(allocator.allocate(4096), OutOfMemory) << "half is the arena's";
  allocator.free(allocator.allocate(2048));
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
}

TEST(CachingAllocator, RefusesWhatNoMemoryHolds) {
  CachingAllocator allocator(host_memory());
  constexpr size_t largest = ~size_t{0};
  for (const size_t bytes : {largest, largest - 267, largest / 2 + 1, (size_t{1} << 52) + 1}) {
    EXPECT_THROW(allocator.allocate(bytes), OutOfMemory) << bytes;
  }
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
  EXPECT_EQ(allocator.statistics().requests, 0);
}

}  // namespace
}  // namespace heed::caching_allocator_test
