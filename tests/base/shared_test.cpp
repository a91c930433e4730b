#include "heed/base/shared.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "heed/base/recycled.h"

namespace heed::shared_test {
namespace {

struct Thing : Counted, Recycled<Thing> {
  explicit Thing(int& living) : alive(living) { ++alive; }
  ~Thing() { --alive; }
  int& alive;
  int payload[8] = {};
};

TEST(Shared, DeletesWithItsLastHolder) {
  int alive = 0;
  {
    Shared<Thing> a(new Thing(alive));
    EXPECT_TRUE(a.is_alone());
    const Shared<Thing> b = a;
    EXPECT_EQ(a, b);
    EXPECT_FALSE(a.is_alone());
    a = Shared<Thing>();
    EXPECT_FALSE(a);
    EXPECT_FALSE(a.is_alone());
    EXPECT_TRUE(b.is_alone());
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Shared, MovesWithoutCounting) {
  int alive = 0;
  Shared<Thing> a(new Thing(alive));
  Shared<Thing> b = std::move(a);
  EXPECT_TRUE(b.is_alone());
  EXPECT_EQ(alive, 1);
  b = Shared<Thing>(new Thing(alive));
  EXPECT_EQ(alive, 1);
}

TEST(Shared, ManyThreadsMayHoldAndLetGo) {
  static std::atomic<int> freed = 0;
  struct Seen : Counted, Recycled<Seen> {
    ~Seen() { ++freed; }
    int value = 7;
  };
  for (int round = 0; round < 20; ++round) {
    Shared<Seen> first(new Seen);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([held = first] {
        for (int i = 0; i < 200; ++i) {
          const Shared<Seen> copy = held;
          EXPECT_EQ(copy->value, 7);
        }
      });
    }
    first = Shared<Seen>();
    for (std::thread& thread : threads) {
      thread.join();
    }
    threads.clear();
    EXPECT_EQ(freed.load(), round + 1);
  }
}

TEST(Recycled, ObjectsOfOneTypeNeverOverlap) {
  int alive = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<Shared<Thing>> many;
    for (int i = 0; i < 1000; ++i) {
      many.emplace_back(new Thing(alive));
      many.back()->payload[7] = i;
    }
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(many[i]->payload[7], i);
    }
    EXPECT_EQ(alive, 1000);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Recycled, WhatOneThreadMadeAnotherMayFree) {
  int alive = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<Shared<Thing>> many;
    for (int i = 0; i < 100; ++i) {
      many.emplace_back(new Thing(alive));
    }
    std::thread([&many] { many.clear(); }).join();  // the thread ends with what it kept
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace heed::shared_test
