#include "heed/serve/asked_pair.h"

#include <utility>
#include <vector>

#include "heed/config/apply.h"
#include "heed/text/utf8.h"

namespace heed {

void AskedPair::describe(Describer& d) {
  d.setting("source", source, {"the source; empty for a language model"});
  d.setting("target", target, {"the target"});
}

void AskedPair::check(const ServeOptions& limits, bool needs_source, bool needs_target) const {
  std::vector<SettingFault> faults;
  const auto look = [&](const char* name, const std::string& text, bool is_needed) {
    if (text.empty() && is_needed) {
      faults.push_back({name, "must be a text that is not empty"});
    }
    if (text.size() > static_cast<std::size_t>(limits.text_bytes)) {
      faults.push_back({name, "is longer than " + std::to_string(limits.text_bytes) + " bytes"});
    }
  };
  look("source", source, needs_source);
  look("target", target, needs_target);
  if (!faults.empty()) {
    throw SettingError(faults);
  }
  check_utf8("source", source);
  check_utf8("target", target);
}

}  // namespace heed
