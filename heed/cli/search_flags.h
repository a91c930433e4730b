// The options of search on the command line, shared by the verbs that translate.
#pragma once

#include "heed/cli/setting_options.h"
#include "heed/engine/answer/answer_options.h"
#include "heed/engine/answer/search_reach.h"

namespace heed {

class SearchFlags {
 public:
  /// Without those of text where a verb reads none.
  void options(Options& options, SourceKind reads);
  /// The given options with what they imply; Fault::usage where two contradict each other, in a
  /// message that begins with the verb. Settings that are not given are those of `wanted`, the
  /// settings of search that the model file `path` names.
  AnswerOptions chosen(const std::string& verb, const Json& wanted, const std::string& path) const;

  /// Fault::usage where an option is given that changes nothing in the chosen search.
  void check_effects(const std::string& verb, const SearchOptions& chosen,
                     const SearchReach& reach) const;

 private:
  void check_strategy(const std::string& verb, const SearchOptions& chosen,
                      const SearchReach& reach) const;
  std::string no_norm() const;
  void take_wanted(SearchOptions& search, const Json& wanted, const std::string& path) const;

  AnswerOptions options_;
  SettingOptions settings_;
  bool samples_ = false;
};

}  // namespace heed
