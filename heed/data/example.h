// An example as its cells: what a table says of its source and of its target.
#pragma once

#include <string>

namespace heed {

struct Example {
  std::string source;
  std::string target;
};

}  // namespace heed
