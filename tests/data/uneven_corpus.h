// Sentences of uneven lengths: number i has i % 17 + 1 source tokens and i % 5 + 1 target tokens.
#pragma once

#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/data/learn_fields.h"

namespace heed::test {

inline std::vector<Example> uneven_examples(int count) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    Example example;
    for (int k = 0; k <= i % 17; ++k) {
      example.source += "s ";
    }
    for (int k = 0; k <= i % 5; ++k) {
      example.target += "t ";
    }
    examples.push_back(example);
  }
  return examples;
}

inline Corpus uneven(int count) {
  const std::vector<Example> examples = uneven_examples(count);
  return {examples, learn_fields(examples, {})};
}

/// The same where memory may hold `memory_bytes` of each side.
inline Corpus uneven_spilled(int count, const std::string& folder, std::uint64_t memory_bytes) {
  const std::vector<Example> examples = uneven_examples(count);
  CorpusWriter writer(learn_fields(examples, {}), {}, {folder, memory_bytes});
  for (const Example& example : examples) {
    writer.add(example.source, example.target);
  }
  return writer.finish();
}

}  // namespace heed::test
