// What a search may use of the models that answer.
#pragma once

#include <span>
#include <string>

#include "heed/model/file/model_file.h"
#include "heed/search/searches.h"

namespace heed {

struct SearchReach {
  std::string decoder;                 // the kind of the main one
  const SearchKind* search = nullptr;  // of the main one
  bool asks_ctc = false;               // a ctc decoder is beside that of one of the models
  bool shows_ctc = false;              // beside that of the first, whose weights are shown
  bool averages = false;               // several models or decoders predict together
  bool draws_slots = false;            // one of the models looks at slots that it draws
  bool hears = false;                  // the source is a recording, or features of one, with times
};

SearchReach search_reach(std::span<const TrainedModel> models, const SearchOptions& options);

}  // namespace heed
