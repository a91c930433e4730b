#include "heed/http/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "heed/http/exchange_state.h"

namespace heed::test::exchange_test {
namespace {

TEST(Pieces, AreDroppedOldestFirst) {
  PieceQueue queue(10);
  queue.add("start", StreamPiece::kept);
  queue.add("one", StreamPiece::droppable);
  queue.add("two", StreamPiece::droppable);
  EXPECT_EQ(queue.bytes(), 8);
  EXPECT_EQ(queue.dropped(), 1);
  EXPECT_EQ(queue.take(), "starttwo");
  EXPECT_EQ(queue.bytes(), 0);
}

TEST(Pieces, ThatAreKeptAlwaysArrive) {
  PieceQueue queue(4);
  queue.add("a", StreamPiece::droppable);
  queue.add("long start", StreamPiece::kept);
  queue.add("b", StreamPiece::droppable);
  queue.add("long end", StreamPiece::kept);
  EXPECT_EQ(queue.take(), "long startlong end");
  EXPECT_EQ(queue.dropped(), 2);
}

TEST(Pieces, TakeBoundedMemory) {
  PieceQueue queue(1000);
  for (int i = 0; i < 100'000; ++i) {
    queue.add(std::string(100, 'x'), StreamPiece::droppable);
    ASSERT_LE(queue.bytes(), 1000);
  }
  EXPECT_EQ(queue.dropped(), 100'000 - 10);
}

struct Asked {
  int woken = 0;
  std::shared_ptr<HttpExchange::State> state = std::make_shared<HttpExchange::State>(
      HttpRequest{.method = "GET", .target = "/", .path = "/", .fields = {}}, 100,
      [this] { ++woken; });
};

TEST(Exchange, WakesOnlyWhoWaits) {
  Asked asked;
  const HttpExchange exchange(asked.state);
  exchange.answer({.body = "early"});
  EXPECT_EQ(asked.woken, 0);
  EXPECT_EQ(asked.state->take_news()->response->body, "early");

  Asked late;
  const HttpExchange other(late.state);
  EXPECT_FALSE(late.state->take_news());
  other.answer({.body = "late"});
  EXPECT_EQ(late.woken, 1);
  EXPECT_TRUE(late.state->take_news()->has_ended);
}

TEST(Exchange, IsAnsweredOnce) {
  Asked asked;
  {
    const HttpExchange exchange(asked.state);
    exchange.answer({.body = "first"});
    exchange.answer({.body = "second"});
    exchange.begin({.body = "third"});
    EXPECT_FALSE(exchange.send("piece", StreamPiece::kept));
    exchange.end("end");
  }
  const auto news = asked.state->take_news();
  EXPECT_EQ(news->response->body, "first");
  EXPECT_FALSE(news->is_stream);
  EXPECT_EQ(news->piece, "");
  EXPECT_FALSE(news->is_abandoned);
}

TEST(Exchange, KeepsAThingUntilItsLastCopyGoes) {
  Asked asked;
  auto thing = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = thing;
  {
    const HttpExchange exchange(asked.state);
    exchange.keep(std::move(thing));
    auto copy = std::make_unique<HttpExchange>(exchange);
    exchange.answer({.body = "answered"});
    copy.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(Exchange, ThatGoesAwayIsAbandoned) {
  Asked asked;
  EXPECT_FALSE(asked.state->take_news());
  {
    const HttpExchange exchange(asked.state);
    const HttpExchange copy = exchange;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(asked.woken, 0);
  }
  EXPECT_EQ(asked.woken, 1);
  const auto news = asked.state->take_news();
  EXPECT_TRUE(news->is_abandoned);
  EXPECT_FALSE(news->response);

  Asked stream;
  {
    const HttpExchange exchange(stream.state);
    exchange.begin({});
    exchange.send("piece", StreamPiece::kept);
  }
  EXPECT_TRUE(stream.state->take_news()->is_abandoned);
}

TEST(Exchange, StreamsInOrderFromAnotherThread) {
  Asked asked;
  std::thread([exchange = HttpExchange(asked.state)] {
    exchange.begin({.type = "text/event-stream"});
    EXPECT_TRUE(exchange.send("a", StreamPiece::kept));
    EXPECT_TRUE(exchange.send("b", StreamPiece::droppable));
    exchange.end("c");
    EXPECT_FALSE(exchange.send("d", StreamPiece::kept));
  }).join();
  const auto news = asked.state->take_news();
  EXPECT_TRUE(news->is_stream);
  EXPECT_EQ(news->piece, "abc");
  EXPECT_TRUE(news->has_ended);
  EXPECT_FALSE(news->is_abandoned);
}

TEST(Exchange, HearsThatItsClientHasLeft) {
  Asked asked;
  const HttpExchange exchange(asked.state);
  exchange.begin({});
  EXPECT_FALSE(exchange.left().stop_requested());
  asked.state->leave();
  EXPECT_TRUE(exchange.left().stop_requested());
  EXPECT_FALSE(exchange.send("piece", StreamPiece::kept));
}

}  // namespace
}  // namespace heed::test::exchange_test
