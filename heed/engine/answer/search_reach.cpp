#include "heed/engine/answer/search_reach.h"

#include <algorithm>

#include "heed/attention/slot_draws.h"
#include "heed/search/scorers.h"

namespace heed {
namespace {

/// Whether a ctc decoder is beside the main one.
bool has_ctc(const Model& model) {
  return as<Framewise>(model.decoder()) == nullptr && !prefix_scorers(model, 1).empty();
}

}  // namespace

SearchReach search_reach(std::span<const TrainedModel> models, const SearchOptions& options) {
  const Model& first = *models.front().model;
  const auto any = [models](auto&& is) {
    return std::any_of(models.begin(), models.end(),
                       [&is](const TrainedModel& one) { return is(*one.model); });
  };
  return {.decoder = first.decoder().kind(),
          .search = &search_for(first.decoder()),
          .asks_ctc = any(has_ctc),
          .shows_ctc = has_ctc(first),
          .averages = models.size() > 1 || !options.combine.empty(),
          .draws_slots = any([](Model& model) { return draws_slots(model); }),
          .hears = models.front().fields.source->has_times()};
}

}  // namespace heed
