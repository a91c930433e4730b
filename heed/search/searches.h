// The table of searches: one for each way in which decoders answer. To add one: its file, with a
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
};

struct SearchKind {
  const char* name;
  bool is_open;  // sources can join and leave it (OpenSearch)
  /// Whether main decoders like this are searched so.
  bool (*is_for)(const Decoder& main);
  /// Fault::usage if the request asks for what this search cannot do. The models must outlive it.
  std::unique_ptr<BatchSearch> (*begin)(const SearchRequest& request);
  const char* does;  // "label rows": what its decoders do and others do not
  /// Settings of search that have no effect on other decoders.
  std::vector<std::string> settings;
};

std::span<const SearchKind> searches();
/// The search of this main decoder.
const SearchKind& search_for(const Decoder& main);

}  // namespace heed
