#include "heed/http/multipart.h"

#include <algorithm>
#include <utility>

#include "heed/http/letters.h"

namespace heed {
namespace {

constexpr std::size_t most_head = 1024;

/// The value of `name` in `first; name="value"; other=value`: a token, or quoted with \ before a quote.
std::optional<std::string> parameter(std::string_view value, std::string_view name) {
  std::size_t at = value.find(';');
  while (at != std::string_view::npos) {
    const auto equals = value.find('=', at);
    if (equals == std::string_view::npos) {
      return std::nullopt;
    }
    const bool is_it = lower_case(trimmed(value.substr(at + 1, equals - at - 1))) == name;
    std::string text;
    std::size_t i = equals + 1;
    if (i < value.size() && value[i] == '"') {
      for (++i; i < value.size() && value[i] != '"'; ++i) {
        i += value[i] == '\\' && i + 1 < value.size() ? 1 : 0;
        text.push_back(value[i]);
      }
      if (i == value.size()) {
        return std::nullopt;  // the quote has no end
      }
      at = value.find(';', i);
    } else {
      at = value.find(';', i);
      text = std::string(trimmed(value.substr(i, at == std::string_view::npos ? at : at - i)));
    }
    if (is_it) {
      return text;
    }
  }
  return std::nullopt;
}

/// The fields before the bytes of a part.
std::optional<FormPart> part_of(std::string_view head) {
  FormPart part;
  bool is_named = false;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return std::nullopt;
    }
    const std::string name = lower_case(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "content-type") {
      part.type = value;
    } else if (name == "content-disposition") {
      const auto own = parameter(value, "name");
      if (is_named || !own ||
          lower_case(trimmed(value.substr(0, value.find(';')))) != "form-data") {
        return std::nullopt;
      }
      is_named = true;
      part.name = *own;
      part.file_name = parameter(value, "filename").value_or("");
    }
  }
  return is_named ? std::optional(part) : std::nullopt;
}

}  // namespace

std::optional<std::vector<FormPart>> form_parts(std::string_view content_type,
                                                std::string_view body, std::size_t most) {
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) {
    return std::nullopt;
  }
  const std::string dashes = "--" + *boundary;
  const std::string next = "\r\n" + dashes;
  if (!body.starts_with(dashes)) {
    return std::nullopt;
  }
  body.remove_prefix(dashes.size());
  std::vector<FormPart> parts;
  while (!body.starts_with("--")) {
    const std::size_t end_of_head = body.substr(0, most_head).find("\r\n\r\n");
    if (!body.starts_with("\r\n") || end_of_head == std::string_view::npos || end_of_head == 0 ||
        parts.size() == most) {
      return std::nullopt;
    }
    auto part = part_of(body.substr(2, end_of_head - 2));
    body.remove_prefix(end_of_head + 4);
    const std::size_t end = body.find(next);
    if (!part || end == std::string_view::npos) {
      return std::nullopt;
    }
    part->bytes = body.substr(0, end);
    parts.push_back(*std::move(part));
    body.remove_prefix(end + next.size());
  }
  const std::string_view rest = body.substr(2);
  return rest.empty() || rest == "\r\n" ? std::optional(std::move(parts)) : std::nullopt;
}

}  // namespace heed
