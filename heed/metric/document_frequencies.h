// In how many documents of a corpus each n-gram of words occurs, and what an n-gram weighs:
//
//     idf(g) = ln(N / max(1, d(g)))
//
//   N     number of documents (in captioning: pictures, each with its captions)
//   d(g)  number of documents of which some text has the n-gram g
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/metric/clipped_ngrams.h"

namespace heed {

/// The numbers of one to four words, which count from 1; 0 fills the rest.
using WordNgram = std::array<std::uint32_t, 4>;

/// The n-grams of one to four words of some text, in ascending order; an n-gram that occurs twice is
/// there twice.
std::vector<WordNgram> ngrams_of(std::span<const std::uint32_t> numbers);

class DocumentFrequencies {
 public:
  /// Counts the texts of one document.
  void add(std::span<const WordList> document);

  /// The numbers of words. WordList that no document has are numbered by `strangers`, which has to be
  /// the same for all texts that are compared with each other.
  std::vector<std::uint32_t> numbered(
      const WordList& words, std::unordered_map<std::u32string, std::uint32_t>& strangers) const;
  /// Needs at least one document.
  double idf(const WordNgram& ngram) const;

 private:
  struct Hash {
    std::size_t operator()(const WordNgram& ngram) const noexcept;
  };

  std::size_t documents_ = 0;
  std::unordered_map<std::u32string, std::uint32_t> numbers_;
  std::unordered_map<WordNgram, std::uint32_t, Hash> having_;
};

}  // namespace heed
