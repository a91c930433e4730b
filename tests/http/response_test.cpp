#include "heed/http/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::test::response_test {
namespace {

TEST(Response, IsWritten) {
  const HttpResponse response{.type = "text/plain", .body = "hello", .fields = {{"Allow", "GET"}}};
  EXPECT_EQ(written_head(response, {.id = "7", .date = "today"}),
            "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "X-Request-Id: 7\r\nAllow: GET\r\n\r\n");
  EXPECT_EQ(written_head({.status = 204, .type = ""}, {.keeps_alive = false}),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(
      written_head({.type = "text/event-stream"}, {.is_chunked = true}),
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(Response, HasNoLinesOfItsOwnInAValue) {
  const HttpResponse response{.status = 404, .type = "", .fields = {{"X", "a\r\nSet-Cookie: b"}}};
  EXPECT_THAT(written_head(response, {}), testing::HasSubstr("\r\nX: a  Set-Cookie: b\r\n"));
}

TEST(Response, SharesItsBytes) {
  const HttpResponse response{.body = "own",
                              .shared = std::make_shared<const std::string>("shared")};
  EXPECT_EQ(response.bytes(), "shared");
  EXPECT_THAT(written_head(response, {}), testing::HasSubstr("Content-Length: 6\r\n"));
}

TEST(Date, IsWrittenAsRfc9110Does) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");  // the RFC's example
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(Event, IsWritten) { EXPECT_EQ(written_event("step", "{}"), "event: step\ndata: {}\n\n"); }

TEST(Phrase, IsKnownForEveryStatusThatIsSent) {
  for (const int status : {100, 200, 204, 304, 400, 401, 403, 404, 405, 408, 411, 413,
                           414, 415, 417, 421, 422, 429, 431, 500, 501, 503, 505}) {
    EXPECT_NE(http_phrase(status), "Unknown") << status;
  }
}

}  // namespace
}  // namespace heed::test::response_test
