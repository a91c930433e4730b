// Who is let in, by the head of a request alone.
#include "heed/serve/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/serve/routes.h"

namespace heed::test::door_test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const std::chrono::steady_clock::time_point now{seconds(1000)};

HttpRequest head(const std::string& method, std::vector<HttpField> fields) {
  HttpRequest request{.method = method, .target = "/", .path = "/", .fields = std::move(fields)};
  request.fields.insert(request.fields.begin(), {"host", "localhost:8080"});
  request.peer = "127.0.0.1";
  return request;
}

std::unique_ptr<Route> route(const std::string& name) { return routes().make(name); }

int status(Door& door, const HttpRequest& request, const std::string& name = "POST /v1/translate") {
  const auto refusal = door.refuse(request, route(name).get(), now);
  return refusal ? refusal->status : 200;
}

const HttpField json{"content-type", "application/json; charset=utf-8"};

TEST(HostName, HasNoPort) {
  EXPECT_EQ(host_name("Example.org:8080"), "example.org");
  EXPECT_EQ(host_name("example.org"), "example.org");
  EXPECT_EQ(host_name("[::1]:8080"), "[::1]");
  EXPECT_EQ(host_name("[::1]"), "[::1]");
}

TEST(Door, IsForHostsOfItsOwn) {
  ServeOptions options;
  options.hosts = {"Own.example:80"};
  Door door(options);
  for (const char* const good : {"localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080",
                                 "own.example", "own.example:9"}) {
    HttpRequest request = head("POST", {json});
    request.fields.front().value = good;
    EXPECT_EQ(status(door, request), 200) << good;
  }
  for (const char* const bad : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                                "own.example.", "a:b:c"}) {
    HttpRequest request = head("GET", {});
    request.fields.front().value = bad;
    EXPECT_EQ(status(door, request, "GET /health"), 421) << bad;
    EXPECT_EQ(door.refuse(request, nullptr, now)->status, 421) << bad;
  }
}

TEST(Door, RefusesOtherPages) {
  ServeOptions options;
  options.origins = {"https://friend.example"};
  Door door(options);
  const auto from = [&](const std::string& origin) {
    return status(door, head("POST", {json, {"origin", origin}}));
  };
  EXPECT_EQ(from("http://localhost:8080"), 200);  // its own
  EXPECT_EQ(from("https://friend.example"), 200);
  EXPECT_EQ(from("https://evil.example"), 403);
  EXPECT_EQ(from("http://localhost:8081"), 403);
  EXPECT_EQ(from("null"), 403);
  EXPECT_TRUE(door.takes_origin("https://friend.example"));
  EXPECT_FALSE(door.takes_origin("https://evil.example"));
  EXPECT_FALSE(door.takes_origin(""));
}

TEST(Door, WantsTheTypeOfTheBody) {
  const ServeOptions options;
  Door door(options);
  const auto of = [&](const std::string& type, const std::string& name) {
    return status(door, head("POST", {{"content-type", type}}), name);
  };
  EXPECT_EQ(of("application/json", "POST /v1/translate"), 200);
  EXPECT_EQ(of("Application/JSON;charset=utf-8", "POST /v1/translate"), 200);
  for (const char* const form :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""}) {
    EXPECT_EQ(of(form, "POST /v1/translate"), 415) << form;
    EXPECT_EQ(of(form, "POST /v1/caption"), 415) << form;
  }
  EXPECT_EQ(of("image/jpeg", "POST /v1/caption"), 200);
  EXPECT_EQ(status(door, head("POST", {})), 415);
}

TEST(Door, AsksForAKeyWhereThereAreSome) {
  ServeOptions options;
  options.keys = {"first", "second"};
  Door door(options);
  const auto with = [&](HttpField field) { return status(door, head("POST", {json, field})); };
  EXPECT_EQ(with({"authorization", "Bearer first"}), 200);
  EXPECT_EQ(with({"authorization", "bearer  second"}), 200);
  EXPECT_EQ(with({"x-api-key", "second"}), 200);
  EXPECT_EQ(with({"authorization", "Bearer firs"}), 401);
  EXPECT_EQ(with({"authorization", "Bearer "}), 401);
  EXPECT_EQ(with({"authorization", "Basic first"}), 401);
  EXPECT_EQ(with({"x-api-key", "third"}), 401);
  EXPECT_EQ(status(door, head("POST", {json})), 401);
  EXPECT_EQ(status(door, head("GET", {}), "GET /health"), 200);
  EXPECT_EQ(status(door, head("GET", {}), "GET /metrics"), 401);
}

TEST(Door, IsNotOpenToOthersByMistake) {
  ServeOptions options;
  options.address = "0.0.0.0";
  try {
    const Door door(options);
    FAIL() << "an address that others can reach has no keys";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(error.what(), HasSubstr("others can reach 0.0.0.0"));
  }
  options.is_insecure = true;
  const Door open(options);
  options.is_insecure = false;
  options.keys = {"key"};
  const Door keyed(options);
}

TEST(Door, SlowsAClientDown) {
  ServeOptions options;
  options.rate = 0.5;
  options.burst = 2;
  Door door(options);
  const HttpRequest request = head("POST", {json});
  EXPECT_EQ(status(door, request), 200);
  EXPECT_EQ(status(door, request), 200);
  const auto refusal = door.refuse(request, route("POST /v1/translate").get(), now);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 429);
  EXPECT_EQ(refusal->fields, (std::vector<HttpField>{{"Retry-After", "2"}}));
  EXPECT_EQ(status(door, head("GET", {}), "GET /health"), 200);  // is always told
  HttpRequest other = request;
  other.peer = "127.0.0.2";
  EXPECT_EQ(status(door, other), 200);
}

TEST(TokenBuckets, FillAtTheirRate) {
  TokenBuckets buckets(2, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(buckets.take("a", now), 0);
  }
  EXPECT_DOUBLE_EQ(buckets.take("a", now), 0.5);
  EXPECT_EQ(buckets.take("a", now + std::chrono::milliseconds(500)), 0);
  EXPECT_DOUBLE_EQ(buckets.take("a", now + std::chrono::milliseconds(500)), 0.5);
  for (int i = 0; i < 3; ++i) {  // never more than its size
    EXPECT_EQ(buckets.take("a", now + seconds(3600)), 0);
  }
  EXPECT_GT(buckets.take("a", now + seconds(3600)), 0);
}

TEST(TokenBuckets, ForgetClientsThatMayAsk) {
  TokenBuckets buckets(1, 5);
  for (int i = 0; i < 100'000; ++i) {
    buckets.take(std::to_string(i), now + seconds(i));
  }
  EXPECT_LE(buckets.clients(), 1024);
}

TEST(Keys, AreFound) {
  const Keys keys({"a", "bb"});
  EXPECT_EQ(keys.find("a"), 0);
  EXPECT_EQ(keys.find("bb"), 1);
  EXPECT_EQ(keys.find("b"), std::nullopt);
  EXPECT_EQ(keys.find(""), std::nullopt);
  EXPECT_FALSE(Keys({}).are_there());
  EXPECT_EQ(Keys({}).find(""), std::nullopt);
}

}  // namespace
}  // namespace heed::test::door_test
