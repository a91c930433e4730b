// A verb of the command line: `heed VERB …`. `options` declares its options, `run` does the work.
#pragma once

#include <string>

#include "heed/cli/options.h"

namespace heed {

class Verb {
 public:
  virtual ~Verb() = default;
  virtual void options(Options& options) = 0;
  /// Copy-and-paste examples for --help.
  virtual std::string examples() const = 0;
  /// The exit code.
  virtual int run() = 0;
};

}  // namespace heed
