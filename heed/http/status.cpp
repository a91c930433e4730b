#include "heed/http/status.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heed {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 23> phrases{{
    {100, "Continue"},
    {200, "OK"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
}};

}  // namespace

std::string_view http_phrase(int status) {
  const auto* const found = std::find_if(phrases.begin(), phrases.end(),
                                         [status](const auto& one) { return one.first == status; });
  return found == phrases.end() ? "Unknown" : found->second;
}

}  // namespace heed
