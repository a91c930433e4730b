// Whole searches: stepped to their ends.
#include "heed/search/search.h"
#include "heed/search/searches.h"

namespace heed {
namespace {

void check_goes_on(const IsCancelled& is_cancelled) {
  if (is_cancelled && is_cancelled()) {
    fail(Fault::cancelled, "search: it was cancelled before its end");
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(std::span<const Scorer> scorers,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  const auto memories = memories_of(scorers);
  Search run(scorers, place, options);
  const int64_t first = run.admit(memories, sentences);
  while (!run.is_done()) {
    check_goes_on(is_cancelled);
    run.step();
  }
  std::vector<std::vector<Hypothesis>> out;
  for (size_t s = 0; s < memories.front()->lengths.size(); ++s) {
    out.push_back(run.take(first + static_cast<int64_t>(s)));
  }
  return out;
}

std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch,
                                            std::span<const SentenceOptions> sentences,
                                            const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  check_goes_on(is_cancelled);
  require(!models.empty(), "search: saw no model, needs one");
  const auto run = search_for(models.front()->decoder()).begin({models, batch, sentences, options});
  while (!run->is_done()) {
    check_goes_on(is_cancelled);
    run->step();
  }
  return run->take();
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
