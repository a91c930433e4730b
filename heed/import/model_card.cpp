#include "heed/import/model_card.h"

#include <algorithm>

#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::size_t longest_value = 200;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\"'");
  const std::size_t last = text.find_last_not_of(" \t\r\"'");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, last - first + 1);
}

}  // namespace

std::map<std::string, std::string> read_model_card(std::string_view text) {
  std::map<std::string, std::string> values;
  std::string name;
  bool is_inside = false;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.starts_with("---")) {
      if (is_inside) {
        return values;
      }
      is_inside = true;
      continue;
    }
    if (!is_inside) {
      return {};
    }
    const std::string_view all = without_blanks(line);
    const bool is_item = all.starts_with("- ");
    const std::size_t colon = line.find(':');
    if (!is_item && (line.empty() || line.front() == ' ' || colon == std::string_view::npos)) {
      continue;
    }
    name = is_item ? name : std::string(line.substr(0, colon));
    const std::string_view value = without_blanks(is_item ? all.substr(2) : line.substr(colon + 1));
    std::string& known = values[name];
    if (!value.empty() && known.size() + value.size() < longest_value &&
        !find_invalid_utf8(value)) {
      known += (known.empty() ? "" : ", ") + make_visible(value);
    }
  }
  return {};
}

}  // namespace heed
