#include "heed/search/searches.h"

#include <algorithm>

#include "heed/search/ctc_search.h"
#include "heed/search/label.h"
#include "heed/search/mask_predict.h"
#include "heed/search/word_search.h"

namespace heed {
namespace {

template <class Kind>
bool is_a(const Decoder& main) {
  return dynamic_cast<const Kind*>(&main) != nullptr;
}

/// Fault::usage unless there is one model, and nothing is asked for that needs words one by one.
void check_alone(const SearchRequest& request, bool takes_language_model) {
  const SearchOptions& options = request.options;
  const std::string kind = request.models.front()->decoder().kind();
  if (request.models.size() > 1 || !options.combine.empty()) {
    fail(Fault::usage,
         "search: {} for decoders that write one word after the other, and {} does not; leave it "
         "out",
         request.models.size() > 1 ? "several models are" : "--combine is", kind);
  }
  if (options.language_model != nullptr && !takes_language_model) {
    fail(Fault::usage,
         "search: --lm is for ctc and for decoders that write one word after the other, and {} "
         "does not; leave it out",
         kind);
  }
  if (const Rule* rule = options.rules.first_on()) {
    fail(Fault::usage,
         "search: {} is for decoders that write one word after the other, and {} does not; leave "
         "it out",
         rule->kind(), kind);
  }
  for (const SentenceOptions& own : request.sentences) {
    if (!own.prefix.empty() || !own.phrases.empty()) {
      fail(Fault::usage,
           "search: {} is for decoders that write one word after the other, and {} does not; leave "
           "it out",
           own.prefix.empty() ? "a phrase to say" : "a prefix", kind);
    }
  }
}

std::unique_ptr<BatchSearch> labels(const SearchRequest& request) {
  check_alone(request, false);
  return label_search(*request.models.front(), request.batch, request.options);
}

std::unique_ptr<BatchSearch> positions_at_once(const SearchRequest& request) {
  check_alone(request, false);
  return mask_predict_search(*request.models.front(), request.batch, request.options);
}

std::unique_ptr<BatchSearch> frames(const SearchRequest& request) {
  check_alone(request, true);
  check_ends_by_itself(request.models.front()->decoder(), request.options);
  return ctc_search(*request.models.front(), request.batch, request.options);
}

}  // namespace

std::span<const SearchKind> searches() {
  static const SearchKind all[] = {
      {"words", true, is_a<Autoregressive>, word_search, "write one word after the other", {}},
      {"labels", false, is_a<Labelling>, labels, "label the source", {}},
      {"frames", false, is_a<Framewise>, frames, "say a word or a blank at every frame", {}},
      {"positions",
       false,
       is_a<Parallel>,
       positions_at_once,
       "fill all positions at once",
       {"rounds", "length_beam"}},
  };
  return all;
}

const SearchKind& search_for(const Decoder& main) {
  const std::span<const SearchKind> all = searches();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&main](const SearchKind& one) { return one.is_for(main); });
  require(found != all.end(), "search: saw a decoder of the kind {}, for which there is no search",
          main.kind());
  return *found;
}

}  // namespace heed
