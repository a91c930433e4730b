// What a stream of events begins with: of what the weights of its steps are.
//
//   {"model": "en-zh", "sources": [[PART, …], …]}        the parts that each source was cut into
//   of a text        {"tokens": ["▁I", …, "</s>"], "places": [[0, 1], …]}      bytes of the source
//   of a picture     {"grid": [height, width]}
//   of a recording   {"seconds": [0.0, 0.04, …]}         when each slot begins, and when the last ends
#pragma once

#include <string>
#include <vector>

#include "heed/api/loaded_model.h"
#include "heed/base/json.h"
#include "heed/engine/answer/source_pieces.h"

namespace heed {

/// `sources` are the bytes that the pieces come from.
Json written_start(const std::string& name, const LoadedModel& model,
                   const std::vector<std::string>& sources,
                   const std::vector<std::vector<Piece>>& pieces);

}  // namespace heed
