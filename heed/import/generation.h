// How transformers' generate() would search, as settings of a search: what generation_config.json says
// or, where there is none, config.json.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "heed/base/json.h"
#include "heed/import/foreign_settings.h"
#include "heed/import/model_folder.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The ids of its tokens with a meaning, as config.json has them.
struct ForeignSpecials {
  TokenId start = 0;
  TokenId end = 0;
  TokenId padding = 0;
};

struct Generation {
  Json search = Json::object();  // settings of SearchOptions
  /// Whether a token that is never said has no probability either, because the others' are made to
  /// add up to 1 again.
  bool closes_before_softmax = false;
};

/// `of_family` are settings that its family reads itself, or that change nothing there.
Generation generation_of(ModelFolder& folder, const Json& config, const ForeignSpecials& specials,
                         std::initializer_list<std::string_view> of_family = {});

/// Marks the settings of generate() that older versions kept in config.json as known.
void ignore_generation(ForeignSettings& settings);

}  // namespace heed
