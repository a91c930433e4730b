// Requests that two servers could understand in two ways, or that nobody should have to hold in memory: every
// one is refused, with the same status however its bytes arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/parsed.h"

namespace heed::test::malformed_test {
namespace {

using Stage = RequestParser::Stage;
const HttpLimits usual;

struct Malformed {
  std::string what;
  std::string bytes;
  int status;
};

const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";

std::string with(const std::string& head, const std::string& field, const std::string& body = "") {
  return head + field + "\r\n\r\n" + body;
}

std::vector<Malformed> of_the_request_line() {
  const auto line = [](const std::string& text) { return text + "\r\nHost: a\r\n\r\n"; };
  return {
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01", 6), 400},
      {"binary", "\x80\x01\x02\x03\r\n\r\n", 400},
      {"a blank first", line(" GET / HTTP/1.1"), 400},
      {"two empty lines first", "\r\n\r\n" + get + "\r\n", 400},
      {"a bare newline first", "\n" + get + "\r\n", 400},
      {"nothing but a word", line("GET"), 400},
      {"no version", line("GET /"), 400},
      {"no target", line("GET HTTP/1.1"), 400},
      {"no method", line(" / HTTP/1.1"), 400},
      {"two blanks", line("GET  / HTTP/1.1"), 400},
      {"two blanks before the version", line("GET /  HTTP/1.1"), 400},
      {"a tabulator", line("GET\t/ HTTP/1.1"), 400},
      {"a blank at the end", line("GET / HTTP/1.1 "), 400},
      {"a blank in the target", line("GET /a b HTTP/1.1"), 400},
      {"a lower-case method", line("get / HTTP/1.1"), 501},
      {"a mixed method", line("Get / HTTP/1.1"), 501},
      {"an unknown method", line("BREW / HTTP/1.1"), 501},
      {"a method with a colon", line("GE:T / HTTP/1.1"), 400},
      {"a method with a bracket", line("GE(T / HTTP/1.1"), 400},
      {"HTTP/0.9", line("GET / HTTP/0.9"), 505},
      {"HTTP/1.2", line("GET / HTTP/1.2"), 505},
      {"HTTP/1.9", line("GET / HTTP/1.9"), 505},
      {"HTTP/2.0", line("PRI * HTTP/2.0"), 505},
      {"HTTP/3.0", line("GET / HTTP/3.0"), 505},
      {"a lower-case version", line("GET / http/1.1"), 400},
      {"another protocol", line("GET / SIP/2.0"), 400},
      {"a long version", line("GET / HTTP/1.10"), 400},
      {"a version without a dot", line("GET / HTTP/11"), 400},
      {"a version in letters", line("GET / HTTP/a.b"), 400},
      {"absolute form", line("GET http://evil/ HTTP/1.1"), 400},
      {"authority form", line("CONNECT a:80 HTTP/1.1"), 400},
      {"asterisk form", line("OPTIONS * HTTP/1.1"), 400},
      {"a relative target", line("GET a HTTP/1.1"), 400},
      {"a control letter in the path", line("GET /\x01 HTTP/1.1"), 400},
      {"a deleted letter in the path", line("GET /\x7f HTTP/1.1"), 400},
      {"letters beyond ASCII in the path", line("GET /\xc3\xa9 HTTP/1.1"), 400},
      {"a fragment", line("GET /#a HTTP/1.1"), 400},
      {"half an escape", line("GET /%4 HTTP/1.1"), 400},
      {"an escape of other letters", line("GET /%zz HTTP/1.1"), 400},
      {"an escaped control letter", line("GET /a%00b HTTP/1.1"), 400},
      {"a bad escape in the query", line("GET /?a=%q0 HTTP/1.1"), 400},
      {"a bad escape in a name of the query", line("GET /?%=1 HTTP/1.1"), 400},
      {"a long target", line("GET /" + std::string(9000, 'a') + " HTTP/1.1"), 414},
      {"a long method", std::string(9000, 'A'), 414},
      {"bare newlines", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"a bare return", "GET / HTTP/1.1\rHost: a\r\r", 400},
      {"a return inside", "GET /\ra HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"two returns", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", 400},
  };
}

std::vector<Malformed> of_fields() {
  std::string many = get;
  for (int i = 0; i < 100; ++i) {
    many += "A: b\r\n";
  }
  return {
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"no host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 400},
      {"two hosts", with(get, "Host: b"), 400},
      {"the same host twice", with(get, "host: a"), 400},
      {"an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
      {"a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"a host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
      {"a list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
      {"a long host", "GET / HTTP/1.1\r\nHost: " + std::string(300, 'a') + "\r\n\r\n", 400},
      {"a folded field", with(get, "X: a\r\n b"), 400},
      {"a field folded by a tabulator", with(get, "X: a\r\n\tb"), 400},
      {"a folded first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
      {"a tabulator in a name", with(get, "A\tB: c"), 400},
      {"a blank in a name", with(get, "A B: c"), 400},
      {"an empty name", with(get, ": c"), 400},
      {"no colon", with(get, "abc"), 400},
      {"a name beyond ASCII", with(get, "\xc3\xa9: c"), 400},
      {"a bracket in a name", with(get, "A(: c"), 400},
      {"NUL in a value", with(get, std::string("X: a\0b", 6)), 400},
      {"a control letter in a value", with(get, "X: a\x01"), 400},
      {"a return in a value", with(get, "X: a\rb: c"), 400},
      {"a newline in a value", with(get, "X: a\nb: c"), 400},
      {"a deleted letter in a value", with(get, "X: \x7f"), 400},
      {"101 fields", with(many, "A: b"), 431},
      {"a long field", with(get, "X: " + std::string(9000, 'a')), 431},
      {"a long name", with(get, std::string(9000, 'a')), 431},
      {"two authorizations", with(get, "Authorization: a\r\nAuthorization: b"), 400},
      {"two origins", with(get, "Origin: a\r\nOrigin: b"), 400},
      {"two types", with(post, "Content-Type: a\r\nContent-Type: b\r\nContent-Length: 0"), 400},
      {"an unknown expectation", with(post, "Expect: 200-ok\r\nContent-Length: 1"), 417},
      {"two expectations", with(post, "Expect: 100-continue\r\nExpect: 100-continue"), 400},
      {"a broken connection field", with(get, "Connection: @"), 400},
  };
}

std::vector<Malformed> of_bodies() {
  const std::string coding = "Transfer-Encoding: ";
  return {
      {"no length", post + "\r\n", 411},
      {"no length of a PUT", "PUT / HTTP/1.1\r\nHost: a\r\n\r\n", 411},
      {"a length with a sign", with(post, "Content-Length: +3", "abc"), 400},
      {"a negative length", with(post, "Content-Length: -3", "abc"), 400},
      {"an empty length", with(post, "Content-Length:", "abc"), 400},
      {"a length in hexadecimal", with(post, "Content-Length: 0x3", "abc"), 400},
      {"a length with a fraction", with(post, "Content-Length: 3.0", "abc"), 400},
      {"a length with a blank", with(post, "Content-Length: 3 3", "abc"), 400},
      {"a list of lengths", with(post, "Content-Length: 3, 3", "abc"), 400},
      {"two lengths", with(post, "Content-Length: 3\r\nContent-Length: 4", "abcd"), 400},
      {"the same length twice", with(post, "Content-Length: 3\r\nContent-Length: 3", "abc"), 400},
      {"a length of 2^64", with(post, "Content-Length: 18446744073709551616"), 400},
      {"a length of 2^64 - 1", with(post, "Content-Length: 18446744073709551615"), 413},
      {"a length above the limit", with(post, "Content-Length: 10000001"), 413},
      {"a length, then a coding", with(post, "Content-Length: 3\r\n" + coding + "chunked"), 400},
      {"a coding, then a length", with(post, coding + "chunked\r\nContent-Length: 3"), 400},
      {"gzip", with(post, coding + "gzip", "abc"), 501},
      {"chunked and gzip", with(post, coding + "chunked, gzip", "0\r\n\r\n"), 501},
      {"gzip and chunked", with(post, coding + "gzip, chunked", "0\r\n\r\n"), 501},
      {"xchunked", with(post, coding + "xchunked"), 501},
      {"identity", with(post, coding + "identity"), 501},
      {"an empty coding", with(post, coding), 501},
      {"chunked with a parameter", with(post, coding + "chunked;a=b"), 501},
      {"quoted chunked", with(post, coding + "\"chunked\""), 501},
      {"chunked twice", with(post, coding + "chunked\r\n" + coding + "chunked"), 400},
      {"chunked, chunked", with(post, coding + "chunked, chunked"), 501},
      {"HTTP/1.0 chunked",
       "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"a chunk of -2", chunked + "-2\r\nab\r\n0\r\n\r\n", 400},
      {"a chunk of +2", chunked + "+2\r\nab\r\n0\r\n\r\n", 400},
      {"a chunk of 0x2", chunked + "0x2\r\nab\r\n0\r\n\r\n", 400},
      {"a chunk of 2^64", chunked + "10000000000000002\r\nab\r\n0\r\n\r\n", 400},
      {"a chunk of 2^64 - 1", chunked + "ffffffffffffffff\r\nab", 413},
      {"a chunk above the limit", chunked + "989681\r\n", 413},
      {"a chunk without a size", chunked + "\r\nab\r\n", 400},
      {"a blank before the size", chunked + " 2\r\nab\r\n0\r\n\r\n", 400},
      {"a blank behind the size", chunked + "2 \r\nab\r\n0\r\n\r\n", 400},
      {"an extension", chunked + "2;a=b\r\nab\r\n0\r\n\r\n", 400},
      {"an empty extension", chunked + "2;\r\nab\r\n0\r\n\r\n", 400},
      {"an extension of the last chunk", chunked + "0;a\r\n\r\n", 400},
      {"a size and a bare newline", chunked + "2\nab\r\n0\r\n\r\n", 400},
      {"a size and a bare return", chunked + "2\rab\r\n0\r\n\r\n", 400},
      {"a chunk that is too long", chunked + "2\r\nabc\r\n0\r\n\r\n", 400},
      {"a chunk and a bare newline", chunked + "2\r\nab\n0\r\n\r\n", 400},
      {"a trailer", chunked + "0\r\nA: b\r\n\r\n", 400},
      {"a trailer that is a length", chunked + "0\r\nContent-Length: 9\r\n\r\n", 400},
      {"a last chunk and a bare newline", chunked + "0\r\n\n", 400},
      {"a last chunk and a bare return", chunked + "0\r\n\rGET /", 400},
  };
}

std::vector<Malformed> all_malformed() {
  std::vector<Malformed> all = of_the_request_line();
  for (const auto& part : {of_fields(), of_bodies()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(Malformed, IsRefused) {
  const std::vector<Malformed> all = all_malformed();
  EXPECT_GE(all.size(), 80);
  for (const Malformed& one : all) {
    const Parsed found = parsed({one.bytes});
    EXPECT_EQ(found.stage, Stage::refused) << one.what;
    EXPECT_EQ(found.refusal.status, one.status) << one.what << ": " << found.refusal.reason;
    EXPECT_THAT(found.requests, testing::IsEmpty()) << one.what;
  }
}

TEST(Malformed, IsRefusedInTheSameWayHoweverItArrives) {
  for (const Malformed& one : all_malformed()) {
    const Parsed whole = parsed({one.bytes});
    const std::string_view bytes = one.bytes;
    EXPECT_TRUE(parsed(in_pieces(bytes, 1)).is_as(whole)) << one.what << ", byte by byte";
    for (std::size_t cut = 0; cut <= std::min<std::size_t>(bytes.size(), 400); ++cut) {
      const Parsed found = parsed({bytes.substr(0, cut), bytes.substr(cut)});
      ASSERT_TRUE(found.is_as(whole))
          << one.what << ", cut at " << cut << ": " << found.refusal.reason;
    }
  }
}

TEST(Malformed, BehindAGoodRequestIsRefusedAfterIt) {
  for (const Malformed& one : all_malformed()) {
    const std::string bytes = get + "\r\n" + one.bytes;
    const Parsed found = parsed({bytes});
    EXPECT_EQ(found.requests.size(), 1) << one.what;
    EXPECT_EQ(found.refusal.status, one.status) << one.what;
    EXPECT_TRUE(parsed(in_pieces(bytes, 7)).is_as(found)) << one.what;
  }
}

/// Bytes that go on for ever: what they begin with, and what is repeated.
struct Flood {
  std::string what;
  std::string start;
  std::string again;
  int status;
};

TEST(Floods, AreRefusedBeforeTheyTakeMemory) {
  const std::vector<Flood> all{
      {"a request line", "GET /", std::string(1000, 'a'), 414},
      {"a field", get + "X: ", std::string(1000, 'a'), 431},
      {"fields", get, "A: b\r\n", 431},
      {"empty lines", "", "\r\n", 400},
      {"trailers", chunked + "0\r\n", "A1: bbbbbbbbbbbb\r\n", 400},
      {"an extension", chunked + "1;", std::string(1000, 'x'), 400},
      {"digits of a size", chunked, "0", 400},
      {"chunks of one byte", chunked, "1\r\na\r\n", 413},
      {"chunks", chunked, "3e8\r\n" + std::string(1000, 'a') + "\r\n", 413},
      {"a body", with(post, "Content-Length: 10000001"), std::string(1000, 'a'), 413},
  };
  for (const Flood& flood : all) {
    RequestParser parser(usual);
    parser.put(flood.start);
    std::size_t sent = 0;
    while (sent < 30'000'000 && parser.stage() != Stage::refused) {
      parser.put(flood.again);
      sent += flood.again.size();
    }
    EXPECT_EQ(parser.stage(), Stage::refused) << flood.what;
    EXPECT_EQ(parser.refusal().status, flood.status) << flood.what;
    EXPECT_LE(sent, 10'001'000) << flood.what;  // the limit is in bytes on the wire
    EXPECT_LE(parser.held(), 10'000'000) << flood.what;
  }
}

}  // namespace
}  // namespace heed::test::malformed_test
