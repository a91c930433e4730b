// How to search, on the command line: shared by the verbs that translate.
#pragma once

#include "heed/engine/translation.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heed {

class SearchFlags {
 public:
  void options(CLI::App& app);
  /// The options as given, with what they imply; Fault::usage where two contradict each other.
  TranslateOptions chosen() const;

 private:
  TranslateOptions options_;
  bool samples_ = false;
  bool is_whole_ = false;
  const CLI::Option* beam_ = nullptr;
  const CLI::Option* groups_ = nullptr;
};

}  // namespace heed
