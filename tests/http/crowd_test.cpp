// Many clients, and servers that end.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>

#include "tests/http/client.h"
#include "tests/http/playing_handler.h"

namespace heed::test::crowd_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(Crowd, OfIdleClientsHoldsNobodyUp) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo));
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<Client>(served.port()));
    if (i % 2 == 1) {
      idle.back()->send("POST /echo HTTP/1.1\r\nHost: a\r\n");
    }
  }
  Client client(served.port());
  client.send(post("/echo", "quick"));
  EXPECT_THAT(client.receive_until("quick"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(Crowd, IsNoLargerThanItsLimit) {
  PlayingHandler handler;
  HttpLimits limits;
  limits.connections = 3;
  const Served served(handler.on("/echo", echo), limits);
  std::vector<std::unique_ptr<Client>> few;
  for (int i = 0; i < 3; ++i) {
    few.push_back(std::make_unique<Client>(served.port()));
    few.back()->send(post("/echo", "in"));
    EXPECT_THAT(few.back()->receive_until("\r\n\r\nin"), EndsWith("in"));
  }
  Client too_many(served.port());
  EXPECT_THAT(too_many.receive_all(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                            HasSubstr("\r\nRetry-After: 1\r\n")));
  few.pop_back();
  EXPECT_TRUE(eventually([&] {
    Client next(served.port());
    next.send(post("/echo", "in"));
    return next.receive_until("\r\n\r\nin").starts_with("HTTP/1.1 200");
  }));
}

TEST(Crowd, WaitsWhereDescriptorsAreUsedUp) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo));
  // Clients that have their own descriptors, and none is left for the server's side.
  Client before(served.port());
  before.send(post("/echo", "before"));
  EXPECT_THAT(before.receive_until("\r\n\r\nbefore"), EndsWith("before"));
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const int waiting = ::socket(AF_INET, SOCK_STREAM, 0);
  rlimit few = usual;
  few.rlim_cur = static_cast<rlim_t>(waiting) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(served.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(waiting, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  const std::string asked = post("/echo", "at last");
  EXPECT_EQ(::send(waiting, asked.data(), asked.size(), 0), static_cast<ssize_t>(asked.size()));
  // Those who are there are answered in the meantime.
  for (int i = 0; i < 20; ++i) {
    before.send(post("/echo", "still"));
    EXPECT_THAT(before.receive_until("\r\n\r\nstill"), EndsWith("still"));
  }
  std::string answer(1000, '\0');
  EXPECT_LT(::recv(waiting, answer.data(), answer.size(), MSG_DONTWAIT), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  const ssize_t count = ::recv(waiting, answer.data(), answer.size(), 0);
  EXPECT_THAT(answer.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0))),
              EndsWith("at last"));
  ::close(waiting);
}

TEST(Crowd, ThatLeavesLeavesNoDescriptor) {
  PlayingHandler handler;
  const Served served(handler.on("/echo", echo).keep("/kept"));
  const std::size_t before = open_descriptors();
  const std::string whole = post("/kept", "a body that is never answered");
  for (std::size_t i = 0; i < 300; ++i) {
    Client client(served.port());
    client.send(whole.substr(0, whole.size() * (i % 10) / 9));
  }
  EXPECT_TRUE(eventually([&] { return open_descriptors() == before; })) << open_descriptors();
  for (const HttpExchange& exchange : handler.take_kept()) {
    exchange.answer({.body = "too late"});
  }
}

TEST(Stopping, FinishesWhatWasAccepted) {
  PlayingHandler handler;
  Served served(handler.keep("/kept").on("/echo", echo));
  Client idle(served.port());
  idle.send(post("/echo", "in"));
  EXPECT_THAT(idle.receive_until("\r\n\r\nin"), EndsWith("in"));
  Client works(served.port());
  works.send(get("/kept"));
  ASSERT_TRUE(eventually([&] { return handler.count_kept() == 1; }));
  served.server().stop(30);
  EXPECT_EQ(idle.receive_all(), "");
  EXPECT_TRUE(eventually([&] { return !Client(served.port()).is_open(); }));
  const std::vector<HttpExchange> kept = handler.take_kept();
  EXPECT_FALSE(kept.front().left().stop_requested());
  kept.front().answer({.body = "finished"});
  EXPECT_THAT(works.receive_all(), AllOf(HasSubstr("Connection: close"), EndsWith("finished")));
  served.stop(30);
}

TEST(Stopping, WaitsNoLongerThanItsGrace) {
  PlayingHandler handler;
  Served served(handler.keep("/kept"));
  Client works(served.port());
  works.send(get("/kept"));
  ASSERT_TRUE(eventually([&] { return handler.count_kept() == 1; }));
  served.server().stop(30);
  served.stop(0.05);
  const std::vector<HttpExchange> kept = handler.take_kept();
  EXPECT_TRUE(kept.front().left().stop_requested());
  EXPECT_EQ(works.receive_all(), "");
}

TEST(Stopping, LetsAnswersComeTooLate) {
  PlayingHandler handler;
  {
    const Served served(handler.keep("/kept"));
    Client works(served.port());
    works.send(get("/kept"));
    ASSERT_TRUE(eventually([&] { return handler.count_kept() == 1; }));
  }
  handler.take_kept().front().answer({.body = "nobody is there"});
}

TEST(Stopping, MayComeBeforeTheFirstClient) {
  PlayingHandler handler;
  Served served(handler);
  served.stop(30);
}

}  // namespace
}  // namespace heed::test::crowd_test
