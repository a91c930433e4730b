#include "heed/base/catalogue.h"

namespace heed {

void fail_unknown_name(std::string_view catalogue, std::string_view name,
                       const std::vector<std::string>& names,
                       const std::vector<std::string>& aliases) {
  std::string listed;
  for (const std::string& known : names) {
    listed += listed.empty() ? known : ", " + known;
  }
  std::vector<std::string> candidates = names;
  candidates.insert(candidates.end(), aliases.begin(), aliases.end());
  fail(Fault::usage, "{}: unknown \"{}\"; choose one of {}{}", catalogue, name, listed,
       did_you_mean(name, candidates));
}

}  // namespace heed
