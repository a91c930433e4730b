#include "heed/cli/setting_names.h"

#include <algorithm>

namespace heed {
namespace {

std::string option_for(std::string_view setting) {
  std::string name = "--" + std::string(setting);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool has(const Options& options, const std::string& name) {
  return std::any_of(options.all().begin(), options.all().end(), [&name](const Option& option) {
    return std::find(option.names().begin(), option.names().end(), name) != option.names().end();
  });
}

}  // namespace

std::string naming_options(std::string_view message, const Options& options) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t begin = std::min(message.find('`', at), message.size());
    const std::size_t end = message.find('`', begin + 1);
    out += message.substr(at, begin - at);
    if (begin == message.size() || end == std::string_view::npos) {
      return out += message.substr(begin);
    }
    const std::string option = option_for(message.substr(begin + 1, end - begin - 1));
    if (!has(options, option)) {
      out += message[begin];
      at = begin + 1;
      continue;
    }
    out += option;
    at = end + 1;
  }
  return out;
}

}  // namespace heed
