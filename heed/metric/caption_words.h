// Captions as the COCO caption evaluation (Chen 2015) compares them: tokenised text in small
// letters. Its Java tokeniser also drops the tokens that are punctuation; a setting does so here.
#pragma once

#include <string>
#include <vector>

#include "heed/metric/clipped_ngrams.h"

namespace heed {

class CaptionWords {
 public:
  CaptionWords() = default;
  explicit CaptionWords(const MetricSettings& settings)
      : drops_punctuation_(settings.caption_drops_punctuation) {}

  /// Of its settings.
  static std::vector<std::string> reads() { return {"caption_no_punct"}; }
  /// The words between blanks. Throws where the text is not UTF-8.
  WordList of(const std::string& caption) const;
  std::vector<WordList> of_each(const References& captions) const;
  Traits traits() const;

 private:
  bool drops_punctuation_ = false;
};

}  // namespace heed
