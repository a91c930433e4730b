#include "heed/text/subword/learn.h"

#include <sentencepiece_trainer.h>

#include <unordered_map>

#include "heed/base/error.h"
#include "heed/text/special_tokens.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// Gives the texts to the trainer, normalised one at a time.
class TextIterator : public sentencepiece::SentenceIterator {
 public:
  TextIterator(std::span<const std::string> texts, bool is_nfc) : texts_(texts), is_nfc_(is_nfc) {
    take();
  }
  bool done() const override { return at_ == texts_.size(); }
  void Next() override {
    ++at_;
    take();
  }
  const std::string& value() const override { return text_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void take() {
    if (!done()) {
      text_ = is_nfc_ ? nfc(texts_[at_]) : texts_[at_];
    }
  }

  std::span<const std::string> texts_;
  bool is_nfc_;
  std::size_t at_ = 0;
  std::string text_;
};

/// SentencePiece applies some of the normalisations itself; the others are applied by us, before
/// it sees the text.
std::string rule_of(const std::string& normalise) {
  return normalise == "nfkc" || normalise == "nmt_nfkc" ? normalise : "identity";
}

std::size_t size_of(const VocabularyLimits& limits) {
  return limits.max_size == 0 ? usual_subwords : limits.max_size;
}

std::unordered_map<std::string, std::string> options_of(std::string_view kind,
                                                        const VocabularyLimits& limits) {
  // SentencePiece counts the unknown token as a piece; our other special tokens are not pieces.
  const std::size_t beside = SpecialTokens(limits.also).count() - 1;
  const std::size_t pieces = size_of(limits) > beside + 1 ? size_of(limits) - beside : 1;
  return {{"model_type", std::string(kind)},
          {"vocab_size", std::to_string(pieces)},
          {"hard_vocab_limit", "false"},
          {"character_coverage", std::to_string(limits.character_coverage)},
          {"byte_fallback", limits.byte_fallback ? "true" : "false"},
          {"normalization_rule_name", rule_of(limits.normalise)},
          {"unk_id", "0"},
          {"bos_id", "-1"},
          {"eos_id", "-1"},
          {"pad_id", "-1"},
          {"num_threads", "4"},  // always the same, because sums depend on it
          {"max_sentence_length", "100000"},
          {"minloglevel", "3"}};
}

}  // namespace

std::string learn_pieces(std::string_view kind, std::span<const std::string> texts,
                         const VocabularyLimits& limits) {
  TextIterator sentences(texts, limits.normalise == "nfc");
  std::string model;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(options_of(kind, limits), &sentences, &model);
  if (!status.ok()) {
    fail(Fault::usage,
         "{}: SentencePiece cannot learn {} tokens from {} texts: {}; choose another size, or give "
         "more text",
         kind, size_of(limits), texts.size(), status.ToString());
  }
  return model;
}

}  // namespace heed
