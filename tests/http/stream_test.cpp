// Answers that come in pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/http/client.h"
#include "tests/http/playing_handler.h"

namespace heed::test::stream_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const HttpResponse events{.type = "text/event-stream"};

void two_events(const HttpExchange& exchange) {
  exchange.begin(events);
  exchange.send(written_event("start", "1"), StreamPiece::kept);
  exchange.end(written_event("done", "2"));
}

/// Asks for /kept, and begins the stream that is its answer.
HttpExchange begun_stream(PlayingHandler& handler, Client& client) {
  client.send(get("/kept"));
  if (!eventually([&] { return handler.count_kept() == 1; })) {
    throw std::runtime_error("the request for /kept did not arrive");
  }
  HttpExchange exchange = handler.take_kept().front();
  exchange.begin(events);
  return exchange;
}

TEST(Stream, ComesInChunks) {
  PlayingHandler handler;
  const Served served(handler.on("/events", two_events).on("/echo", echo));
  Client client(served.port());
  client.send(get("/events") + post("/echo", "after it"));
  const std::string answer = client.receive_until("after it");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(answer,
              HasSubstr("\r\n\r\n2b\r\nevent: start\ndata: 1\n\nevent: done\ndata: 2\n\n\r\n"
                        "0\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST(Stream, EndsWithAConnectionOfHttp10) {
  PlayingHandler handler;
  const Served served(handler.on("/events", two_events));
  Client client(served.port());
  client.send("GET /events HTTP/1.0\r\nHost: a\r\n\r\n");
  const std::string answer = client.receive_all();
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nevent: start\ndata: 1\n\nevent: done\ndata: 2\n\n"));
}

TEST(Stream, ArrivesPieceByPiece) {
  PlayingHandler handler;
  const Served served(handler.keep("/kept"));
  Client client(served.port());
  const HttpExchange exchange = begun_stream(handler, client);
  EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("chunked"));
  for (const std::string piece : {"one", "two", "three"}) {
    exchange.send(piece, StreamPiece::droppable);
    EXPECT_THAT(client.receive_until(piece), EndsWith("\r\n" + piece));
  }
  exchange.end("end");
  EXPECT_THAT(client.receive_until("0\r\n\r\n"), HasSubstr("3\r\nend\r\n0"));
}

TEST(Stream, ThatBreaksHasNoEnd) {
  PlayingHandler handler;
  const Served served(handler.on("/breaks", [](const HttpExchange& exchange) {
    exchange.begin(events);
    exchange.send("first", StreamPiece::kept);
  }));
  Client client(served.port());
  client.send(get("/breaks"));
  EXPECT_THAT(client.receive_all(), EndsWith("5\r\nfirst\r\n"));
}

TEST(Stream, SendsCommentsWhileItIsSilent) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.silence_seconds = 0.05;
  const Served served(handler.keep("/kept"), limits);
  Client client(served.port());
  const HttpExchange exchange = begun_stream(handler, client);
  EXPECT_THAT(client.receive_until("\n: still here\n\n"), HasSubstr("\r\n\r\n"));
  EXPECT_THAT(client.receive_until("\n: still here\n\n"), HasSubstr("\r\n"));
  exchange.end("end");
  EXPECT_THAT(client.receive_until("0\r\n\r\n"), HasSubstr("end\r\n"));
}

TEST(Stream, GivesASlowReaderFewerEventsAndAlwaysTheLast) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.stream_bytes = 50'000;
  const Served served(handler.keep("/kept"), limits);
  Client slow(served.port(), 4096);
  {
    const HttpExchange exchange = begun_stream(handler, slow);
    exchange.send(written_event("start", "here"), StreamPiece::kept);
    const std::string large(1000, 'x');
    for (int i = 0; i < 50'000; ++i) {
      ASSERT_TRUE(exchange.send(written_event("step", large), StreamPiece::droppable));
    }
    exchange.end(written_event("done", "all of it"));
  }
  const std::string answer = slow.receive_until("0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("event: start\ndata: here\n\n"));
  EXPECT_THAT(answer, EndsWith("event: done\ndata: all of it\n\n\r\n0\r\n\r\n"));
  EXPECT_LT(answer.size(), 40'000'000);  // of 50 MB; the rest was in the system's buffers
}

TEST(Stream, StopsWhenItsReaderLeaves) {
  PlayingHandler handler;
  const Served served(handler.keep("/kept"));
  Client client(served.port());
  const HttpExchange exchange = begun_stream(handler, client);
  EXPECT_TRUE(exchange.send("first", StreamPiece::kept));
  EXPECT_THAT(client.receive_until("first"), EndsWith("first"));
  client.close();
  EXPECT_TRUE(eventually([&] { return !exchange.send("more", StreamPiece::droppable); }));
  EXPECT_TRUE(exchange.left().stop_requested());
}

}  // namespace
}  // namespace heed::test::stream_test
