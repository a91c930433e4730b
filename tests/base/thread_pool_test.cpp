#include "heed/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/error.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Debian's g++ has the function but not its header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
#endif

namespace heed::thread_pool_test {
namespace {

TEST(ThreadPool, RunsEveryChunkOnceWhateverTheSize) {
  for (const int size : {1, 2, 3, 8}) {
    ThreadPool pool(size);
    EXPECT_EQ(pool.threads(), size);
    for (const int chunks : {0, 1, 2, 3, 7, 100, 1000}) {
      std::vector<int> runs(chunks);  // not atomic: a chunk run twice at once is a race TSan sees
      pool.parallel_for(chunks, [&](std::int64_t chunk) { ++runs.at(chunk); });
      EXPECT_EQ(runs, std::vector<int>(chunks, 1)) << size << " threads, " << chunks << " chunks";
    }
  }
}

TEST(ThreadPool, ManyShortLoopsInARow) {
  ThreadPool pool(4);
  std::vector<std::int64_t> sums(5);
  for (int round = 0; round < 5000; ++round) {
    pool.parallel_for(5, [&](std::int64_t chunk) { sums[chunk] += chunk; });
  }
  EXPECT_EQ(sums, (std::vector<std::int64_t>{0, 5000, 10000, 15000, 20000}));
}

// A chunk that waits for another to begin can only end if two threads take part.
TEST(ThreadPool, UsesItsWorkers) {
  ThreadPool pool(2);
  std::atomic<int> begun{0};
  std::atomic<int> on_caller{0};
  const auto caller = std::this_thread::get_id();
  pool.parallel_for(2, [&](std::int64_t) {
    ++begun;
    on_caller += std::this_thread::get_id() == caller ? 1 : 0;
    while (begun < 2) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(on_caller, 1);
}

// The workers have gone to sleep by the time of the second loop.
TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(3);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> begun{0};
    pool.parallel_for(3, [&](std::int64_t) {
      ++begun;
      while (begun < 3) {
        std::this_thread::yield();
      }
    });
    EXPECT_EQ(begun, 3);
  }
}

/// Runs 50 chunks of which 7, 17, 27 ... throw; the message of what came out, and which chunks ran.
std::string thrown_by_lowest(ThreadPool& pool, std::vector<char>& ran) {
  auto chunk_body = [&](std::int64_t chunk) {
    ran[chunk] = 1;
    if (chunk % 10 == 7) {
      throw std::runtime_error(std::to_string(chunk));
    }
  };
  try {
    pool.parallel_for(50, chunk_body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ThreadPool, RethrowsTheExceptionOfTheLowestChunk) {
  for (const int size : {1, 4}) {
    ThreadPool pool(size);
    for (int round = 0; round < 200; ++round) {
      std::vector<char> ran(50);
      EXPECT_EQ(thrown_by_lowest(pool, ran), "7");
      EXPECT_EQ(std::vector<char>(ran.begin(), ran.begin() + 8), std::vector<char>(8, 1));
    }
    std::vector<int> runs(9);  // and the pool still works
    pool.parallel_for(9, [&](std::int64_t chunk) { ++runs[chunk]; });
    EXPECT_EQ(runs, std::vector<int>(9, 1));
  }
}

TEST(ThreadPool, NestedLoopsRunInlineInOrder) {
  ThreadPool pool(4);
  std::vector<std::vector<std::int64_t>> seen(16);
  std::atomic<bool> moved{false};
  pool.parallel_for(16, [&](std::int64_t outer) {
    const auto self = std::this_thread::get_id();
    pool.parallel_for(5, [&](std::int64_t inner) {
      moved = moved || std::this_thread::get_id() != self;
      seen[outer].push_back(inner);
    });
  });
  EXPECT_FALSE(moved);
  for (const auto& order : seen) {
    EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  }
}

void loop_often(ThreadPool& pool, std::vector<int>& runs) {
  for (int round = 0; round < 500; ++round) {
    pool.parallel_for(20, [&](std::int64_t chunk) { ++runs[chunk]; });
  }
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::vector<int>> runs(4, std::vector<int>(20));
  std::vector<std::thread> callers;
  callers.reserve(runs.size());
  for (auto& mine : runs) {
    callers.emplace_back([&pool, &mine] { loop_often(pool, mine); });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(runs, std::vector<std::vector<int>>(4, std::vector<int>(20, 500)));
}

TEST(ThreadPool, ResizesWhileOthersCall) {
  ThreadPool pool(2);
  std::atomic<bool> done{false};
  std::vector<int> runs(20);
  std::thread caller([&] {
    loop_often(pool, runs);
    done = true;
  });
  for (int size = 1; !done; size = size % 4 + 1) {
    pool.resize(size);
  }
  caller.join();
  EXPECT_EQ(runs, std::vector<int>(20, 500));
}

TEST(ThreadPool, RefusesWhatItCannotDo) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.resize(0), Error);
  EXPECT_THROW(pool.resize(ThreadPool::most_threads + 1), Error);
  auto resize_inside = [&](std::int64_t) { pool.resize(3); };
  EXPECT_THROW(pool.parallel_for(2, resize_inside), Error);
  EXPECT_EQ(pool.threads(), 2);
  auto nothing = [](std::int64_t) {};
  EXPECT_THROW(pool.parallel_for(-1, nothing), Error);
  EXPECT_THROW(ThreadPool bad(0), Error);
}

TEST(ThreadPool, PartialSumsInChunkOrderDoNotDependOnTheNumberOfThreads) {
  auto sum = [](int size) {
    ThreadPool pool(size);
    std::vector<float> parts(64);
    pool.parallel_for(64, [&](std::int64_t chunk) {
      for (int i = 0; i < 100; ++i) {
        parts[chunk] += 1.0F / static_cast<float>(1 + chunk * 100 + i);
      }
    });
    float total = 0;
    for (const float part : parts) {
      total += part;
    }
    return total;
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(5));
}

TEST(ThreadPool, AForkedChildRunsLoopsAndEnds) {
  ThreadPool pool(3);
  pool.parallel_for(8, [](std::int64_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<int> runs(8);
    pool.parallel_for(8, [&](std::int64_t chunk) { ++runs[chunk]; });
    pool.resize(1);
    _exit(runs == std::vector<int>(8, 1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, RunsOnEveryThreadOnce) {
  static thread_local int calls = 0;
  static std::atomic<int> total = 0;
  static std::atomic<int> twice = 0;
  for (const int count : {1, 2, 5}) {
    ThreadPool pool(count);
    calls = 0;
    total = 0;
    for (int round = 1; round <= 20; ++round) {
      pool.run_on_every_thread([] {
        ++calls;
        ++total;
      });
      EXPECT_EQ(total, round * count);
      EXPECT_EQ(calls, round);
    }
    pool.run_on_every_thread([] { twice += calls == 20 ? 0 : 1; });
    EXPECT_EQ(twice, 0) << "every thread had every round";
  }
  ThreadPool pool(2);
  pool.parallel_for(2, [&](std::int64_t) { EXPECT_THROW(pool.run_on_every_thread([] {}), Error); });
}

TEST(ThreadPool, AThreadChoosesThePoolOfItsLoops) {
  ThreadPool two(2);
  ThreadPool three(3);
  const ThreadPool* before = &thread_pool();
  {
    const UsePool outer(two);
    EXPECT_EQ(threads(), 2);
    {
      const UsePool inner(three);
      EXPECT_EQ(&thread_pool(), &three);
    }
    EXPECT_EQ(&thread_pool(), &two);
    std::thread([&] { EXPECT_EQ(&thread_pool(), before) << "another thread's loops stay"; }).join();
  }
  EXPECT_EQ(&thread_pool(), before);
}

TEST(ThreadPool, TheProcessPoolObeysSetThreads) {
  const int before = threads();
  EXPECT_GE(before, 1);
  set_threads(3);
  EXPECT_EQ(threads(), 3);
  std::vector<int> runs(10);
  parallel_for(10, [&](std::int64_t chunk) { ++runs[chunk]; });
  EXPECT_EQ(runs, std::vector<int>(10, 1));
  set_threads(before);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
std::atomic<int> allocations{0};

TEST(ThreadPool, AllocatesNothingInTheSteadyState) {
  ThreadPool pool(3);
  std::vector<int> runs(12);
  auto loop = [&] { pool.parallel_for(12, [&](std::int64_t chunk) { ++runs[chunk]; }); };
  loop();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // let the workers finish starting
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, size_t) { ++allocations; }, [](const volatile void*) {});
  ASSERT_GT(installed, 0);
  const int before = allocations;
  for (int round = 0; round < 100; ++round) {
    loop();
  }
  EXPECT_EQ(allocations, before);
  const auto probe = std::make_unique<int>(1);
  EXPECT_GT(allocations, before) << "the counter does not count " << *probe;
}
#endif

}  // namespace
}  // namespace heed::thread_pool_test
