// An example as its two cells of a table: its source and its target.
#pragma once

#include <string>

namespace heed {

struct Example {
  std::string source;
  std::string target;
};

}  // namespace heed
