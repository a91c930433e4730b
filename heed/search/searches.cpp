#include "heed/search/searches.h"

#include <algorithm>

namespace heed {

/// Calls the function `search` of namespace heed, which its own file defines, and declares it here.
#define HEED_BEGUN_BY(search)                                           \
  [](const SearchRequest& request) {                                    \
    std::unique_ptr<BatchSearch> search(const SearchRequest& of_batch); \
    return search(request);                                             \
  }

std::span<const SearchKind> searches() {
  static const SearchKind all[] = {
      {"words",
       WritesBy::words,
       true,
       HEED_BEGUN_BY(word_search),
       "write one word after the other",
       {.words = true, .language_model = true},
       {}},
      {"labels",
       WritesBy::labels,
       false,
       HEED_BEGUN_BY(label_search),
       "label the source",
       {.length = true},
       {}},
      {"frames",
       WritesBy::frames,
       false,
       HEED_BEGUN_BY(ctc_search),
       "say a word or a blank at every frame",
       {.language_model = true},
       {}},
      {"positions",
       WritesBy::positions,
       false,
       HEED_BEGUN_BY(mask_predict_search),
       "fill all positions at once",
       {.length = true},
       {"rounds", "length_beam"}},
  };
  return all;
}

const SearchKind& search_for(const Decoder& main) {
  const std::span<const SearchKind> all = searches();
  const auto found = std::find_if(all.begin(), all.end(), [&main](const SearchKind& one) {
    return one.how == main.writes_by();
  });
  require(found != all.end(), "search: saw a decoder of the kind {}, for which there is no search",
          main.kind());
  return *found;
}

namespace {

/// What is asked of a sentence that needs words one by one; null: nothing.
const char* asked_word_by_word(const SentenceOptions& own) {
  return !own.prefix.empty()    ? "a prefix is"
         : !own.phrases.empty() ? "a phrase to say is"
         : !own.given.empty()   ? "a word at a position is"
         : !own.changes.empty() ? "a change of attention is"
                                : nullptr;
}

/// Fault::usage where something is asked for that needs words one by one.
void check_without_words(const SearchRequest& request, const std::string& kind) {
  const auto refuse = [&kind](const std::string& asked) {
    fail(Fault::usage,
         "search: {} for decoders that write one word after the other, and {} does not; leave it "
         "out",
         asked, kind);
  };
  if (request.models.size() > 1 || !request.options.combine.empty()) {
    refuse(request.models.size() > 1 ? "several models are" : "`combine` is");
  }
  if (const Rule* rule = request.options.rules.first_on()) {
    refuse(rule->kind() + " is");
  }
  for (const SentenceOptions& own : request.sentences) {
    if (const char* const asked = asked_word_by_word(own)) {
      refuse(asked);
    }
  }
}

void check(const SearchRequest& request, const SearchTakes& takes) {
  const std::string& kind = request.model().decoder().kind();
  if (request.options.language_model != nullptr && !takes.language_model) {
    fail(Fault::usage,
         "search: `lm` is for ctc and for decoders that write one word after the other, and {} "
         "does not; leave it out",
         kind);
  }
  if (!takes.words) {
    check_without_words(request, kind);
  }
  if (request.options.parallel.length > 0 && !takes.length) {
    fail(Fault::usage,
         "search: `length` {} is for decoders that fill all positions, and {} ends by itself; "
         "leave it out",
         request.options.parallel.length, kind);
  }
}

}  // namespace

std::unique_ptr<BatchSearch> begin_search(const SearchRequest& request) {
  require(!request.models.empty(), "search: saw no model, needs one");
  const SearchKind& kind = search_for(request.model().decoder());
  check(request, kind.takes);
  return kind.begin(request);
}

}  // namespace heed
