// A server and its clients over the loopback device: who is answered how, and who is let go.
#include "heed/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/http/client.h"
#include "tests/http/playing_handler.h"

namespace heed::test::server_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string ok = "HTTP/1.1 200 OK\r\n";

TEST(Server, AnswersOneRequestAfterTheOther) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo));
  Client client(served.port());
  for (const std::string body : {"one", "two"}) {
    client.send(post("/echo", body));
    const std::string answer = client.receive_until(body);
    EXPECT_THAT(answer, StartsWith(ok));
    EXPECT_THAT(answer, HasSubstr("\r\nDate: "));
    EXPECT_THAT(answer, HasSubstr("\r\nX-Request-Id: "));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 3\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Connection: close")));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n" + body));
  }
  client.send("HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.receive_all(),
              AllOf(HasSubstr("Content-Length: 0\r\n"), EndsWith("\r\n\r\n")));
}

TEST(Server, ClosesWhereTheClientWantsIt) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo));
  Client closes(served.port());
  closes.send(get("/echo", "Connection: close\r\n"));
  EXPECT_THAT(closes.receive_all(), HasSubstr("\r\nConnection: close\r\n"));
  Client old(served.port());
  old.send("GET /echo HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_THAT(old.receive_all(), HasSubstr("\r\nConnection: close\r\n"));
}

TEST(Server, AnswersWhatIsSentAtOnceInOrder) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo));
  Client client(served.port());
  std::string all;
  for (int i = 0; i < 200; ++i) {
    all += post("/echo", "body " + std::to_string(i) + ";");
  }
  client.send(all + get("/echo", "Connection: close\r\n"));
  const std::string answers = client.receive_all();
  std::size_t from = 0;
  for (int i = 0; i < 200 && from != std::string::npos; ++i) {
    from = answers.find("body " + std::to_string(i) + ";", from);
  }
  EXPECT_NE(from, std::string::npos);
}

TEST(Server, IsAnsweredByOtherThreads) {
  PlayingHandler handler;
  const Served served(handler.keep("/kept"));
  Client one(served.port());
  Client two(served.port());
  one.send(get("/kept"));
  two.send(get("/kept"));
  ASSERT_TRUE(eventually([&] { return handler.count_kept() == 2; }));
  for (const HttpExchange& exchange : handler.take_kept()) {
    exchange.answer({.body = "late"});
  }
  EXPECT_THAT(one.receive_until("late"), EndsWith("late"));
  EXPECT_THAT(two.receive_until("late"), EndsWith("late"));
}

TEST(Server, SaysWhyItRefuses) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo).on("/small", echo));
  const auto answer_to = [&](const std::string& bytes) {
    Client client(served.port());
    client.send(bytes);
    return client.receive_all();
  };
  EXPECT_THAT(answer_to("get / HTTP/1.1\r\n"), StartsWith("HTTP/1.1 501 Not Implemented\r\n"));
  EXPECT_THAT(answer_to(get("/none")), AllOf(StartsWith("HTTP/1.1 404 Not Found\r\n"),
                                             EndsWith("there is nothing at /none\n")));
  EXPECT_THAT(answer_to(post("/small", "more than ten bytes")), StartsWith("HTTP/1.1 413 "));
  // Also to a client that goes on sending.
  EXPECT_THAT(answer_to(post("/small", std::string(3'000'000, 'x'))), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(handler.noted(), ElementsAre(501, 404, 413, 413));
}

TEST(Server, TellsAClientToGoOn) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo).on("/small", echo));
  const auto head = [](const std::string& path) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n";
  };
  Client client(served.port());
  client.send(head("/echo"));
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("12345678901234567890");
  EXPECT_THAT(client.receive_until("7890"), StartsWith(ok));
  Client refused(served.port());
  refused.send(head("/small"));
  EXPECT_THAT(refused.receive_all(), StartsWith("HTTP/1.1 413 "));
}

TEST(Server, AnswersWhereNobodyDoes) {
  PlayingHandler handler;
  const Served served(handler.on("/nobody", [](const HttpExchange&) {})
                          .on("/throws", [](const HttpExchange&) { fail("serve: it failed"); })
                          .on("/echo", echo));
  Client client(served.port());
  for (const char* const path : {"/nobody", "/throws"}) {
    client.send(get(path));
    EXPECT_THAT(client.receive_until("not answered\n"),
                StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
  }
  client.send(post("/echo", "still"));
  EXPECT_THAT(client.receive_until("still"), HasSubstr(ok));
}

TEST(Server, LetsSlowWritersGo) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.header_seconds = limits.body_seconds = 0.1;
  const Served served(handler.on("/echo", echo), limits);
  Client head(served.port());
  head.send("GET / HT");
  EXPECT_THAT(head.receive_all(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  Client body(served.port());
  body.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n1");
  EXPECT_THAT(body.receive_all(), StartsWith("HTTP/1.1 408 "));
  // A byte now and then does not help.
  Client drips(served.port());
  const std::string all = get("/" + std::string(4000, 'a'));
  bool is_taken = true;
  for (std::size_t i = 0; i < all.size() && is_taken; ++i) {
    is_taken = drips.send(all.substr(i, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(is_taken);
}

TEST(Server, LetsIdleClientsGo) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.idle_seconds = 0.1;
  const Served served(handler.on("/echo", echo), limits);
  Client silent(served.port());
  EXPECT_EQ(silent.receive_all(), "");
  Client served_once(served.port());
  served_once.send(post("/echo", "once"));
  EXPECT_THAT(served_once.receive_all(), EndsWith("once"));
}

TEST(Server, LetsStalledReadersGo) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.write_seconds = 0.1;
  const Served served(handler.on("/large",
                                 [](const HttpExchange& exchange) {
                                   exchange.answer({.body = std::string(30'000'000, 'x')});
                                 }),
                      limits);
  Client client(served.port(), 4096);
  client.send(get("/large"));
  ASSERT_TRUE(eventually([&] { return handler.noted().size() == 1; }));
  EXPECT_LT(client.receive_all().size(), 30'000'000);
}

TEST(Server, NoticesAClientThatLeaves) {
  PlayingHandler handler;
  const Served served(handler.keep("/kept"));
  for (int i = 0; i < 50; ++i) {
    Client client(served.port());
    client.send(get("/kept"));
    if (i % 2 == 1) {
      client.send(get("/kept"));  // it leaves behind bytes that are not read yet
    }
    ASSERT_TRUE(eventually([&] { return handler.count_kept() == 1; }));
    const std::vector<HttpExchange> kept = handler.take_kept();
    EXPECT_FALSE(kept.front().left().stop_requested());
    client.close();
    EXPECT_TRUE(eventually([&] { return kept.front().left().stop_requested(); })) << i;
  }
  EXPECT_TRUE(eventually([&] { return handler.noted() == std::vector<int>(50, 499); }));
}

TEST(Server, HoldsOnlySoManyBytesOfBodies) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.bodies_bytes = 300'000;
  const Served served(handler.keep("/kept").on("/echo", echo), limits);
  Client first(served.port());
  first.send(post("/kept", std::string(250'000, 'a')));
  ASSERT_TRUE(eventually([&] { return handler.count_kept() == 1; }));
  Client second(served.port());
  second.send(post("/echo", std::string(200'000, 'b')));
  EXPECT_THAT(second.receive_all(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                          HasSubstr("\r\nRetry-After: 1\r\n")));
  handler.take_kept().front().answer({.body = "done"});
  EXPECT_THAT(first.receive_until("done"), StartsWith(ok));
  Client third(served.port());
  third.send(post("/echo", std::string(200'000, 'c') + "end"));
  EXPECT_THAT(third.receive_until("end"), StartsWith(ok));
}

TEST(Server, NamesWhatItCannotListenOn) {
  PlayingHandler handler;
  const Served served(handler);
  const auto fault_of = [&](const HttpServerOptions& options) -> std::string {
    try {
      const HttpServer server(options, handler);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(fault_of({.port = served.port()}),
              AllOf(StartsWith("serve: cannot listen on 127.0.0.1 port "), HasSubstr("in use")));
  EXPECT_THAT(fault_of({.address = "example"}), StartsWith("serve: example is not an address"));
}

}  // namespace
}  // namespace heed::test::server_test
