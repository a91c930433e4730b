// What a parser makes of bytes, however they arrive.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "heed/http/request_parser.h"

namespace heed::test {

struct Parsed {
  std::vector<std::string> requests;  // method, path, query, fields and body of each
  RequestParser::Stage stage = RequestParser::Stage::empty;  // after all bytes
  HttpRefusal refusal;
  std::size_t most_held = 0;

  bool is_as(const Parsed& other) const {
    return requests == other.requests && stage == other.stage && refusal == other.refusal;
  }
};

inline std::string all_of(const HttpRequest& request) {
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) {
    text += " " + name + "=" + value;
  }
  for (const HttpField& field : request.fields) {
    text += "\n" + field.name + ": " + field.value;
  }
  return text + "\n\n" + request.body;
}

inline Parsed parsed(const std::vector<std::string_view>& pieces, const HttpLimits& limits = {}) {
  RequestParser parser(limits);
  Parsed found;
  for (const std::string_view piece : pieces) {
    parser.put(piece);
    found.most_held = std::max(found.most_held, parser.held());
    while (parser.stage() == RequestParser::Stage::done) {
      found.requests.push_back(all_of(parser.request()));
      parser.next();
    }
  }
  found.stage = parser.stage();
  if (found.stage == RequestParser::Stage::refused) {
    found.refusal = parser.refusal();
  }
  return found;
}

/// In pieces of `size` bytes.
inline std::vector<std::string_view> in_pieces(std::string_view bytes, std::size_t size) {
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    pieces.push_back(bytes.substr(i, size));
  }
  return pieces;
}

}  // namespace heed::test
