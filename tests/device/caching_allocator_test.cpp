#include "heed/device/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
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
  void* allocate(size_t bytes) override {
    live_ += static_cast<int64_t>(bytes);
    return host_->allocate(bytes);
  }
  void free(void* pointer, size_t bytes) override {
    live_ -= static_cast<int64_t>(bytes);
    host_->free(pointer, bytes);
  }

 private:
  int64_t& live_;
  std::unique_ptr<RawMemory> host_ = host_memory();
};

TEST(CachingAllocator, GivesOutAgainWhatCameBack) {
  CachingAllocator allocator(host_memory());
  void* first = allocator.allocate(1000);
  allocator.free(first, 1000);
  EXPECT_EQ(allocator.allocate(1000), first);
  EXPECT_EQ(allocator.statistics().system_allocations, 1);
  EXPECT_EQ(allocator.statistics().requests, 2);
  allocator.free(first, 1000);
  // Sizes that nearly agree share a class.
  EXPECT_EQ(allocator.allocate(990), first);
  allocator.free(first, 990);
}

TEST(CachingAllocator, LargeBlocksBeginWhereAHugePageCan) {
  CachingAllocator allocator(host_memory());
  for (const size_t bytes : {size_t{4} << 20, size_t{5000000}, size_t{64} << 20}) {
    void* large = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % (size_t{2} << 20), 0U) << bytes;
    std::fill_n(static_cast<char*>(large), bytes, 'x');
    allocator.free(large, bytes);
  }
  allocator.trim();
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
}

TEST(CachingAllocator, StatisticsAddUp) {
  CachingAllocator allocator(host_memory());
  void* a = allocator.allocate(64);
  void* b = allocator.allocate(128);
  EXPECT_EQ(allocator.statistics().live_bytes, 192);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
  allocator.free(a, 64);
  EXPECT_EQ(allocator.statistics().live_bytes, 128);
  EXPECT_EQ(allocator.statistics().cached_bytes, 64);
  EXPECT_EQ(allocator.statistics().peak_bytes, 192);
  allocator.reset_peak();
  EXPECT_EQ(allocator.statistics().peak_bytes, 128);
  allocator.free(b, 128);
  allocator.trim();
  EXPECT_EQ(allocator.statistics().live_bytes, 0);
  EXPECT_EQ(allocator.statistics().cached_bytes, 0);
}

TEST(CachingAllocator, EveryBlockIsAlignedAndItsOwn) {
  CachingAllocator allocator(host_memory());
  std::vector<void*> blocks;
  for (size_t bytes = 0; bytes < 300; ++bytes) {
    void* block = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
    std::fill_n(static_cast<char*>(block), bytes, 'x');  // the sanitizer watches the end
    blocks.push_back(block);
  }
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
  for (size_t bytes = 0; bytes < 300; ++bytes) {
    allocator.free(blocks[bytes], bytes);
  }
}

TEST(CachingAllocator, WastesAtMostAQuarterBeyondTheSmallest) {
  for (size_t bytes = 1; bytes < (1U << 20); bytes = bytes * 9 / 8 + 1) {
    int64_t system = 0;
    CachingAllocator allocator(std::make_unique<CountedMemory>(system));
    void* block = allocator.allocate(bytes);
    EXPECT_GE(system, static_cast<int64_t>(bytes));
    EXPECT_LE(static_cast<double>(system), 1.25 * static_cast<double>(bytes) + 64) << bytes;
    allocator.free(block, bytes);
  }
}

TEST(CachingAllocator, HandsBackOnTrimAndAtItsEnd) {
  int64_t system = 0;
  {
    CachingAllocator allocator(std::make_unique<CountedMemory>(system));
    allocator.free(allocator.allocate(5000), 5000);
    EXPECT_GE(system, 5000);
    allocator.trim();
    EXPECT_EQ(system, 0);
    allocator.free(allocator.allocate(700), 700);
    EXPECT_GE(system, 700);
  }
  EXPECT_EQ(system, 0);
}

TEST(CachingAllocator, KeepsToItsLimit) {
  int64_t system = 0;
  CachingAllocator allocator(std::make_unique<CountedMemory>(system));
  allocator.set_limit(3 << 20);
  EXPECT_EQ(allocator.statistics().limit_bytes, 3 << 20);
  void* held = allocator.allocate(1 << 20);
  allocator.free(allocator.allocate(2 << 20), 2 << 20);
  EXPECT_EQ(system, 3 << 20);
  void* other = allocator.allocate(3 << 19);
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
  allocator.free(other, 3 << 19);
  allocator.free(allocator.allocate(2 << 20), 2 << 20);
  allocator.set_limit(0);
  allocator.free(allocator.allocate(64 << 20), 64 << 20);
  allocator.free(held, 1 << 20);
}

TEST(CachingAllocator, ASteadyLoopAsksTheSystemForNothing) {
  CachingAllocator allocator(host_memory());
  const auto step = [&] {
    void* a = allocator.allocate(4096);
    void* b = allocator.allocate(12345);
    allocator.free(a, 4096);
    void* c = allocator.allocate(100);
    allocator.free(b, 12345);
    allocator.free(c, 100);
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
        auto* block = static_cast<char*>(allocator.allocate(bytes));
        block[0] = block[bytes - 1] = static_cast<char>(t);
        allocator.free(block, bytes);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(allocator.statistics().requests, 2000);
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
