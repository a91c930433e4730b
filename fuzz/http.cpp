// The bytes of a connection: they are taken for requests or refused, in bounded memory, and in the same way
// whole as in pieces. The first byte is the size of the pieces.
#include <algorithm>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "heed/http/request_parser.h"

namespace {

using namespace heed;

const HttpLimits limits{.header_bytes = 512, .header_fields = 8, .body_bytes = 256};

/// All that is known of the requests and of the end, as one text.
std::string told(std::string_view bytes, std::size_t size) {
  std::string all;
  RequestParser parser(limits);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    parser.put(bytes.substr(0, size));
    for (; parser.stage() == RequestParser::Stage::done; parser.next()) {
      const HttpRequest& request = parser.request();
      all += request.method + request.target + "\n" + request.path + "\n";
      for (const auto& [name, value] : request.query) {
        all += name + "=" + value + "\n";
      }
      for (const HttpField& field : request.fields) {
        all += field.name + ":" + field.value + "\n";
      }
      all += request.body + (parser.keeps_alive() ? "\n+\n" : "\n-\n");
      if (request.path.empty() || request.path.front() != '/' || request.find("host") == nullptr ||
          request.body.size() > 256) {
        fuzz::report("took a request that must be refused", all);
      }
    }
    if (parser.held() > 512 + 256 + size) {
      fuzz::report("holds more than its limits", std::to_string(parser.held()));
    }
  }
  all += std::to_string(static_cast<int>(parser.stage()));
  if (parser.stage() == RequestParser::Stage::refused) {
    all += " " + std::to_string(parser.refusal().status) + " " + parser.refusal().reason;
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string bytes = heed::fuzz::text_of(data + 1, size - 1);
  const std::string whole = told(bytes, bytes.size());
  if (const std::string other = told(bytes, std::size_t{data[0]} % 37 + 1); other != whole) {
    heed::fuzz::report("saw other requests in pieces", whole + "\nand\n" + other);
  }
  return 0;
}
