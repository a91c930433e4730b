// How lines are translated: every setting with its name, range, default and help, those of the
// search included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/search/search_options.h"

namespace heed {

struct TranslateOptions : Described {
  void describe(Describer& d) override;

  SearchOptions search;
  std::string prefix = {};                // what every translation begins with
  std::vector<std::string> phrases = {};  // what every translation must say
  bool replaces_unknowns = false;         // by the source word they looked at (Luong 2015)
  bool is_whole = true;                   // or paragraphs are split into sentences and joined again
  int64_t max_source = 0;                 // tokens of a sentence; longer ones are cut; 0: none is
  int64_t batch = 64;                     // sentences searched together

  int64_t first_line = 1;  // number of the first line: names random draws, and lines in warnings
};

}  // namespace heed
