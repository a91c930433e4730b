// "the houses" → ▁the, ▁house, s → "the houses": subwords learnt by SentencePiece (Kudo and
// Richardson 2018), by merging pairs (bpe: Sennrich et al. 2016) or as a unigram language model
// (Kudo 2018). ▁ stands for a blank; what no piece covers is spelt in bytes, <0xE4> <0xB8> <0xAD>.
//
// The state is one line and SentencePiece's model:
//
//     heed sentencepiece 1: bpe, nfc, 123456 bytes, sha256 0123…
//
// The SHA-256 shows damage; what the model says is checked as it is read (subword/piece_model.h).
#include <algorithm>
#include <array>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/text/byte_token.h"
#include "heed/text/script.h"
#include "heed/text/subword/learn.h"
#include "heed/text/subword/splitter.h"
#include "heed/text/token_spans.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

bool is_normalisation(std::string_view name) {
  constexpr std::array<std::string_view, 4> known = {"none", "nfc", "nfkc", "nmt_nfkc"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

bool has_word(const std::string& text) { return !words()->split(text).empty(); }

class SentencePiece : public Tokeniser, public WordPieces, public Normalises {
 public:
  explicit SentencePiece(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8(name_, text);
    check_learnt();
    return normalise_ == "nfc" ? splitter_->split(nfc(text)) : splitter_->split(text);
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

  /// A mark of a blank in a text becomes a blank when the tokens are joined.
  std::string normalised(std::string_view character) const override {
    check_learnt();
    return surface(
        splitter_->mapped(normalise_ == "nfc" ? nfc(character) : std::string(character)));
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
    return splitter_ && splitter_->knows(token);
  }

  bool learns() const override { return true; }

  std::vector<std::string> learn(std::span<const std::string> texts,
                                 const VocabularyLimits& limits) override {
    for (const std::string& text : texts) {
      check_utf8(name_, text);
    }
    if (!is_normalisation(limits.normalise)) {
      fail(Fault::usage, "{}: there is no normalise = \"{}\"; choose none, nfc, nfkc or nmt_nfkc",
           name_, limits.normalise);
    }
    if (std::none_of(texts.begin(), texts.end(), has_word)) {
      fail(Fault::usage, "{}: none of the {} texts has a word to learn from; give some", name_,
           texts.size());
    }
    normalise_ = limits.normalise;
    load(learn_pieces(name_, texts, limits));
    std::vector<std::string> pieces;
    for (const ScoredPiece& piece : splitter_->model().pieces) {
      if (piece.kind != PieceKind::unknown) {
        pieces.push_back(piece.text);
      }
    }
    return pieces;
  }

  /// Uses this model, which says itself how texts are normalised.
  void take(std::string model) {
    normalise_ = "none";
    load(std::move(model));
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
           "{}: the subwords under \"{}\" are not those that this line promises; the vocabulary is "
           "corrupt",
           name_, make_visible(line.substr(0, 120)));
    }
    load(std::string(model));
  }

 private:
  std::string header(std::string_view model) const {
    return fmt::format("heed sentencepiece 1: {}, {}, {} bytes, sha256 {}\n", name_, normalise_,
                       model.size(), sha256_hex(model));
  }

  void load(std::string model) {
    splitter_.emplace(read_piece_model(model, name_), name_);
    if (splitter_->model().kind != kind()) {
      fail(Fault::file, "{}: the subwords are of another kind; the vocabulary is corrupt", name_);
    }
    model_ = std::move(model);
  }

  PieceModel::Kind kind() const {
    return name_ == "bpe" ? PieceModel::Kind::bpe : PieceModel::Kind::unigram;
  }

  void check_learnt() const {
    require(splitter_.has_value(),
            "{}: saw text before it learnt any subword; learn or restore them", name_);
  }

  std::string_view name_;
  std::string normalise_ = "nfc";
  std::string model_;  // empty until it has learnt
  std::optional<SubwordSplitter> splitter_;
};

}  // namespace

std::unique_ptr<Tokeniser> bpe() { return std::make_unique<SentencePiece>("bpe"); }

std::unique_ptr<Tokeniser> unigram() { return std::make_unique<SentencePiece>("unigram"); }

std::unique_ptr<Tokeniser> tokeniser_of_pieces(std::string model, const std::string& who) {
  const bool is_bpe = read_piece_model(model, who).kind == PieceModel::Kind::bpe;
  auto made = std::make_unique<SentencePiece>(is_bpe ? "bpe" : "unigram");
  made->take(std::move(model));
  return made;
}

}  // namespace heed
