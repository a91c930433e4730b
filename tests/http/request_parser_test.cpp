// Good requests, in the words of RFC 9112 and as clients send them.
#include "heed/http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/parsed.h"

namespace heed::test::request_parser_test {
namespace {

using Stage = RequestParser::Stage;
const HttpLimits usual;
using testing::ElementsAre;

const std::string get =
    "GET /a%20b?x=1&y=%C3%A9+%26&flag HTTP/1.1\r\nHost: a:80\r\nX-Own:  v w \t\r\n\r\n";
const std::string get_is = "GET /a b x=1 y=\xc3\xa9 & flag=\nhost: a:80\nx-own: v w\n\n";
const std::string post = "POST /p HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 5\r\n\r\nhello";
const std::string post_is = "POST /p\nhost: [::1]:8080\ncontent-length: 5\n\nhello";
const std::string chunks =
    "POST /c HTTP/1.1\r\nHost: a\r\ntransfer-encoding: Chunked\r\n\r\n"
    "5\r\nhello\r\n00A\r\n, 10 bytes\r\n0\r\n\r\n";
const std::string chunks_is = "POST /c\nhost: a\ntransfer-encoding: Chunked\n\nhello, 10 bytes";

TEST(Requests, AreUnderstood) {
  EXPECT_THAT(parsed({get}).requests, ElementsAre(get_is));
  EXPECT_THAT(parsed({post}).requests, ElementsAre(post_is));
  EXPECT_THAT(parsed({chunks}).requests, ElementsAre(chunks_is));
}

TEST(Requests, AreTheSameHoweverTheyArrive) {
  const std::string all = get + "\r\n" + post + chunks + get + post;
  const Parsed whole = parsed({all});
  ASSERT_THAT(whole.requests, ElementsAre(get_is, post_is, chunks_is, get_is, post_is));
  EXPECT_EQ(whole.stage, Stage::empty);
  const std::string_view bytes = all;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ASSERT_TRUE(parsed({bytes.substr(0, cut), bytes.substr(cut)}).is_as(whole)) << cut;
  }
  for (std::size_t size = 1; size <= 64; ++size) {
    ASSERT_TRUE(parsed(in_pieces(bytes, size)).is_as(whole)) << size;
  }
}

TEST(Requests, AreAtTheLimits) {
  const HttpLimits limits{.header_bytes = 100, .header_fields = 3, .body_bytes = 20};
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\nX: ";
  const std::string fits = head + std::string(100 - 4 - head.size(), 'x') + "\r\n\r\n";
  const std::string body(20, 'b');
  ASSERT_EQ(fits.size(), 100);
  EXPECT_EQ(parsed({fits + body}, limits).requests.size(), 1);
  EXPECT_EQ(
      parsed({head + std::string(101 - 4 - head.size(), 'x') + "\r\n\r\n"}, limits).refusal.status,
      431);
  EXPECT_EQ(parsed({"GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nC: d\r\n\r\n"}, limits).requests.size(),
            1);
  EXPECT_EQ(
      parsed({"GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nC: d\r\nE: f\r\n\r\n"}, limits).refusal.status,
      431);
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(parsed({chunked + "a\r\n0123456789\r\n0\r\n\r\n"}, limits).requests.size(), 1);
  EXPECT_EQ(parsed({chunked + "b\r\n0123456789a\r\n0\r\n\r\n"}, limits).refusal.status, 413);
}

TEST(Requests, SayWhetherTheConnectionGoesOn) {
  const auto keeps = [](const std::string& line, const std::string& fields) {
    RequestParser parser(usual);
    parser.put("GET / HTTP/1." + line + "\r\nHost: a\r\n" + fields + "\r\n");
    EXPECT_EQ(parser.stage(), Stage::done);
    return parser.keeps_alive();
  };
  EXPECT_TRUE(keeps("1", ""));
  EXPECT_TRUE(keeps("1", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("1", "Connection: keep-alive , CLOSE\r\n"));
  EXPECT_FALSE(keeps("1", "Connection: x\r\nConnection: close\r\n"));
  EXPECT_FALSE(keeps("0", ""));
  EXPECT_FALSE(keeps("0", "Connection: keep-alive\r\n"));
}

TEST(Requests, AreAdmittedByTheirHeads) {
  int64_t most = 0;
  std::string body = "nothing";
  RequestParser parser(usual, [&](const HttpRequest& head, int64_t& body_bytes) {
    most = body_bytes;
    body = head.body;
    body_bytes = 4;
    return head.path == "/no" ? std::optional(HttpRefusal{404, "there is nothing here"})
                              : std::nullopt;
  });
  parser.put("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_EQ(parser.stage(), Stage::done);
  EXPECT_EQ(most, 10'000'000);
  EXPECT_EQ(body, "");
  parser.next();
  parser.put("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(parser.refusal().status, 413);

  RequestParser other(usual, [](const HttpRequest& head, int64_t& /*most*/) {
    return std::optional(HttpRefusal{404, "there is no " + head.path});
  });
  other.put("GET /no HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(other.refusal(), (HttpRefusal{404, "there is no /no"}));
}

TEST(Requests, WaitForContinueUntilTheBodyComes) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n";
  RequestParser parser(usual);
  parser.put(head);
  EXPECT_FALSE(parser.waits_for_continue());
  parser.put("\r\n");
  EXPECT_TRUE(parser.waits_for_continue());
  parser.put("a");
  EXPECT_FALSE(parser.waits_for_continue());
  parser.put("b");
  EXPECT_EQ(parser.stage(), Stage::done);
  EXPECT_FALSE(parser.waits_for_continue());
}

TEST(Requests, ThatComeTooEarlyWait) {
  RequestParser parser(usual);
  parser.put(post);
  parser.put(get);
  EXPECT_EQ(parser.stage(), Stage::done);
  EXPECT_EQ(parser.ahead(), get.size());
  EXPECT_EQ(all_of(parser.request()), post_is);
  parser.next();
  EXPECT_EQ(parser.stage(), Stage::done);
  EXPECT_EQ(parser.ahead(), 0);
  EXPECT_EQ(all_of(parser.request()), get_is);
}

}  // namespace
}  // namespace heed::test::request_parser_test
