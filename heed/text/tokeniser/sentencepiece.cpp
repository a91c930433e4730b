// "the houses" → ▁the, ▁house, s → "the houses": subwords learnt by SentencePiece (Kudo and
// Richardson 2018), by merging pairs (bpe: Sennrich et al. 2016) or as a unigram language model
// (Kudo 2018). ▁ stands for a blank; what no piece covers is spelt in bytes, <0xE4> <0xB8> <0xAD>.
//
// The state is one line and SentencePiece's model:
//
//     heed sentencepiece 1: bpe, nfc, 123456 bytes, sha256 0123…
//
// The library does not check its models: a damaged one makes it crash or split wrongly without a
// message. So a model is used only if its SHA-256 is the line's.
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/text/byte_token.h"
#include "heed/text/script.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

constexpr std::string_view blank_mark = "\u2581";  // ▁
constexpr std::size_t usual_size = 8000;

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

bool is_normalisation(std::string_view name) {
  constexpr std::array<std::string_view, 4> known = {"none", "nfc", "nfkc", "nmt_nfkc"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

bool has_word(const std::string& text) { return !words()->split(text).empty(); }

class SentencePiece : public Tokeniser, public WordPieces {
 public:
  explicit SentencePiece(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8(name_, text);
    check_learnt();
    std::vector<std::string> pieces;
    const auto status =
        processor_.Encode(normalise_ == "nfc" ? nfc(text) : std::string(text), &pieces);
    require(status.ok(), "{}: saw {} bytes of text that SentencePiece refuses: {}", name_,
            text.size(), status.ToString());
    return pieces;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += surface(token);
    }
    // SentencePiece adds a blank before the first word.
    return repaired_utf8(text.starts_with(' ') ? std::string_view(text).substr(1) : text);
  }

  std::string surface(std::string_view token) const override {
    if (const auto byte = byte_of_token(token)) {
      return {static_cast<char>(*byte)};
    }
    std::string text;
    std::size_t start = 0;
    for (std::size_t at = token.find(blank_mark); at != std::string_view::npos;
         at = token.find(blank_mark, start)) {
      text += token.substr(start, at - start);
      text += ' ';
      start = at + blank_mark.size();
    }
    return text += token.substr(start);
  }

  /// A blank begins a word, and so does each character of a script without blanks.
  bool begins_word(std::string_view token) const override {
    if (const auto byte = byte_of_token(token)) {
      return *byte >= 0xE3;  // the lead byte of a character from U+3000 on, past the alphabets
    }
    return token.starts_with(blank_mark) ||
           (!token.empty() && is_unspaced(decode_utf8(token, 0).code));
  }

  bool yields(std::string_view token) const override {
    return !model_.empty() && !processor_.IsUnknown(processor_.PieceToId(token));
  }

  bool learns() const override { return true; }

  std::vector<std::string> learn(std::span<const std::string> texts,
                                 const VocabularyLimits& limits) override {
    for (const std::string& text : texts) {
      check_utf8(name_, text);
    }
    if (!is_normalisation(limits.normalise)) {
      fail(Fault::usage, "{}: saw normalise = \"{}\", needs one of none, nfc, nfkc, nmt_nfkc",
           name_, limits.normalise);
    }
    if (std::none_of(texts.begin(), texts.end(), has_word)) {
      fail(Fault::usage, "{}: saw {} texts without a word, needs some to learn from", name_,
           texts.size());
    }
    normalise_ = limits.normalise;
    TextIterator sentences(texts, normalise_ == "nfc");
    std::string model;
    const auto status =
        sentencepiece::SentencePieceTrainer::Train(options(limits), &sentences, &model);
    if (!status.ok()) {
      fail(Fault::usage,
           "{}: SentencePiece cannot learn {} tokens from {} texts: {}; choose another size, or "
           "give more text",
           name_, size_of(limits), texts.size(), status.ToString());
    }
    load(std::move(model));
    std::vector<std::string> pieces;
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      if (!processor_.IsUnknown(id)) {
        pieces.push_back(processor_.IdToPiece(id));
      }
    }
    return pieces;
  }

  std::string state() const override { return model_.empty() ? "" : header(model_) + model_; }

  void restore(std::string_view state) override {
    const std::size_t end = state.find('\n');
    std::string_view line = state.substr(0, end);
    const std::string_view model = end == std::string_view::npos ? "" : state.substr(end + 1);
    const std::size_t comma = std::min(line.find(", "), line.size());
    const std::size_t next = std::min(line.find(", ", comma + 1), line.size());
    normalise_ = comma < next ? std::string(line.substr(comma + 2, next - comma - 2)) : "";
    if (model.empty() || !is_normalisation(normalise_) ||
        header(model) != std::string(line) + "\n") {
      fail(Fault::file,
           "{}: saw subwords under \"{}\", needs those that this line promises; the vocabulary is "
           "corrupt",
           name_, make_visible(line.substr(0, 120)));
    }
    load(std::string(model));
  }

 private:
  static std::size_t size_of(const VocabularyLimits& limits) {
    return limits.max_size == 0 ? usual_size : limits.max_size;
  }

  std::unordered_map<std::string, std::string> options(const VocabularyLimits& limits) const {
    // Of our special tokens, SentencePiece counts the unknown one; the others are no pieces.
    const std::size_t beside = SpecialTokens(limits.also).count() - 1;
    const std::size_t pieces = size_of(limits) > beside + 1 ? size_of(limits) - beside : 1;
    return {{"model_type", std::string(name_)},
            {"vocab_size", std::to_string(pieces)},
            {"hard_vocab_limit", "false"},
            {"character_coverage", std::to_string(limits.character_coverage)},
            {"byte_fallback", limits.byte_fallback ? "true" : "false"},
            {"normalization_rule_name", rule_of(normalise_)},
            {"unk_id", "0"},
            {"bos_id", "-1"},
            {"eos_id", "-1"},
            {"pad_id", "-1"},
            {"num_threads", "4"},  // always the same, because sums depend on it
            {"max_sentence_length", "100000"},
            {"minloglevel", "3"}};
  }

  std::string header(std::string_view model) const {
    return fmt::format("heed sentencepiece 1: {}, {}, {} bytes, sha256 {}\n", name_, normalise_,
                       model.size(), sha256_hex(model));
  }

  void load(std::string model) {
    const auto status = processor_.LoadFromSerializedProto(model);
    if (!status.ok()) {
      fail(Fault::file, "{}: saw subwords that SentencePiece refuses: {}", name_,
           status.ToString());
    }
    model_ = std::move(model);
  }

  void check_learnt() const {
    require(!model_.empty(), "{}: saw text before it learnt any subword; learn or restore them",
            name_);
  }

  std::string_view name_;
  std::string normalise_ = "nfc";
  std::string model_;  // empty until it has learnt
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::unique_ptr<Tokeniser> bpe() { return std::make_unique<SentencePiece>("bpe"); }

std::unique_ptr<Tokeniser> unigram() { return std::make_unique<SentencePiece>("unigram"); }

}  // namespace heed
