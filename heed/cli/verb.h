// A verb of the command line: `heed VERB …`. `options` declares its options, `run` does the work.
#pragma once

#include <string>

#include "heed/cli/options.h"

namespace heed {

class Verb {
 public:
  virtual ~Verb() = default;
  virtual void options(Options& options) = 0;
  /// What it does, in a few sentences, for its man page.
  virtual std::string description() const = 0;
  /// Whether it computes, so that --threads and --memory-limit concern it.
  virtual bool computes() const { return true; }
  /// Copy-and-paste examples for --help.
  virtual std::string examples() const = 0;
  /// The exit code.
  virtual int run() = 0;
};

}  // namespace heed
