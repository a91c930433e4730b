// How much a server takes from its clients before it refuses.
#pragma once

#include <cstdint>

namespace heed {

struct HttpLimits {
  int64_t header_bytes = 8192;         // of the request line and all fields together
  int64_t header_fields = 100;         // of one request
  int64_t body_bytes = 10'000'000;     // of one request on the wire, the lines of chunks included
  int64_t bodies_bytes = 268'435'456;  // of all requests that are being read or answered
  int64_t ahead_bytes = 65'536;        // that a client sends before it has read its answer
  int64_t stream_bytes = 262'144;      // of a stream that wait for a slow reader
  int64_t connections = 10'000;        // at a time
  double header_seconds = 10;          // for a whole head
  double body_seconds = 30;            // for a whole body
  double write_seconds = 30;           // without a byte of the answer being taken
  double idle_seconds = 15;            // between two requests of a connection
  double silence_seconds = 15;         // of an event stream, after which a comment is sent
};

}  // namespace heed
