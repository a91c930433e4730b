// The table of searches: one for each way in which decoders write. To add one: its file, with a
// BatchSearch, and its line in searches.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/search/batch_search.h"
#include "heed/search/sentence_options.h"

namespace heed {

/// Sources to be answered. `sentences` is empty or has one entry for each of them.
struct SearchRequest {
  std::span<const Model* const> models;
  const Batch& batch;
  std::span<const SentenceOptions> sentences;
  const SearchOptions& options;

  const Model& model() const { return *models.front(); }
};

/// What a search can be asked for beside its settings; another fails with Fault::usage.
struct SearchTakes {
  bool words = false;           // several models and decoders, rules, and words that are prescribed
  bool language_model = false;  // one that adds its score
  bool length = false;          // a number of words; it looks at that itself
};

struct SearchKind {
  const char* name;
  WritesBy how;  // of the main decoders that are searched so
  bool is_open;  // sources can join and leave it (OpenSearch)
  std::unique_ptr<BatchSearch> (*begin)(const SearchRequest& request);
  const char* does;  // "label the source": what its decoders do and others do not
  SearchTakes takes;
  /// Settings of search that have no effect on other decoders.
  std::vector<std::string> settings;
};

std::span<const SearchKind> searches();
/// The search of this main decoder.
const SearchKind& search_for(const Decoder& main);
/// Begins the search of the first model's main decoder. Fault::usage if the request asks for what it cannot
/// do. The models must outlive it.
std::unique_ptr<BatchSearch> begin_search(const SearchRequest& request);

}  // namespace heed
