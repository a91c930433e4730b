#include "heed/http/framing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "heed/http/letters.h"
#include "heed/http/target.h"

namespace heed {
namespace {

/// Fields that a request has at most once, because servers and proxies choose differently among several.
constexpr std::array<std::string_view, 7> single{
    "host",   "content-length", "transfer-encoding", "content-type", "authorization",
    "origin", "expect"};

std::optional<HttpRefusal> fault_of_repetition(const HttpRequest& head) {
  for (const std::string_view name : single) {
    const auto count = std::count_if(head.fields.begin(), head.fields.end(),
                                     [name](const HttpField& one) { return one.name == name; });
    if (count > 1) {
      return HttpRefusal{400, "there are several fields " + std::string(name)};
    }
  }
  return std::nullopt;
}

/// A name or an address, with or without a port: the letters that they are made of.
bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 255 &&
         std::all_of(host.begin(), host.end(), [](char letter) {
           const char lower = lower_letter(letter);
           return is_digit(letter) || (lower >= 'a' && lower <= 'z') ||
                  std::string_view(".-_:[]").find(letter) != std::string_view::npos;
         });
}

std::optional<HttpRefusal> set_length(BodyFraming& framing, const std::string& length) {
  const char* const end = length.data() + length.size();
  const bool is_number = std::all_of(length.begin(), length.end(), is_digit);
  const auto read = std::from_chars(length.data(), end, framing.length);
  if (!is_number || read.ec != std::errc() || read.ptr != end) {
    return HttpRefusal{400, "content-length must be a whole number"};
  }
  framing.body = BodyFraming::Body::length;
  return std::nullopt;
}

std::optional<HttpRefusal> set_body(BodyFraming& framing, const HttpRequest& head) {
  const std::string* const length = head.find("content-length");
  const std::string* const coding = head.find("transfer-encoding");
  if (coding == nullptr && length == nullptr) {
    const bool has_body = head.method == "POST" || head.method == "PUT" || head.method == "PATCH";
    return has_body ? std::optional(HttpRefusal{411, "there is no content-length; send one"})
                    : std::nullopt;
  }
  if (coding == nullptr) {
    return set_length(framing, *length);
  }
  if (length != nullptr) {
    return HttpRefusal{400, "there are both content-length and transfer-encoding"};
  }
  if (head.minor == 0) {
    return HttpRefusal{400, "HTTP/1.0 has no transfer-encoding; send content-length"};
  }
  if (lower_case(*coding) != "chunked") {
    return HttpRefusal{501, "transfer-encoding must be chunked and nothing else"};
  }
  framing.body = BodyFraming::Body::chunked;
  return std::nullopt;
}

/// Whether a field Connection lists `option`.
bool connection_lists(const HttpRequest& head, std::string_view option) {
  for (const HttpField& field : head.fields) {
    std::string_view rest = field.name == "connection" ? std::string_view(field.value) : "";
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      if (lower_case(trimmed(item)) == option) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::variant<BodyFraming, HttpRefusal> framing_of(const HttpRequest& head) {
  if (auto refusal = fault_of_repetition(head)) {
    return *std::move(refusal);
  }
  const std::string* const host = head.find("host");
  if (host == nullptr || !is_host(*host)) {
    return HttpRefusal{
        400, host == nullptr ? "there is no field host" : "host must be a name or an address"};
  }
  BodyFraming framing;
  if (auto refusal = set_body(framing, head)) {
    return *std::move(refusal);
  }
  framing.keeps_alive = head.minor == 1 && !connection_lists(head, "close");
  if (const std::string* const expected = head.find("expect")) {
    if (lower_case(*expected) != "100-continue") {
      return HttpRefusal{417, "expect must be 100-continue and nothing else"};
    }
    framing.expects_continue = head.minor == 1 && framing.body != BodyFraming::Body::none;
  }
  return framing;
}

std::optional<HttpRefusal> split_target(HttpRequest& head) {
  const std::string_view target = head.target;
  const auto mark = target.find('?');
  auto path = percent_decoded(target.substr(0, mark), false);
  auto query = form_parameters(mark == std::string_view::npos ? "" : target.substr(mark + 1));
  if (!path || !query) {
    return HttpRefusal{400, "a % of the target is not followed by two hexadecimal digits"};
  }
  if (std::any_of(path->begin(), path->end(), is_control)) {
    return HttpRefusal{400, "there are control letters in the path"};
  }
  head.path = *std::move(path);
  head.query = *std::move(query);
  return std::nullopt;
}

}  // namespace heed
