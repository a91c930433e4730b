#include "heed/text/subword/piece_model.h"

#include <array>
#include <cmath>

#include "heed/base/error.h"
#include "heed/text/byte_token.h"
#include "heed/text/subword/wire.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::size_t longest_piece = 4096;  // bytes; SentencePiece learns 16 characters at most

/// Fields of the message and of those within it, by their numbers in sentencepiece_model.proto.
namespace field {
constexpr uint32_t piece = 1;
constexpr uint32_t trainer = 2;
constexpr uint32_t normaliser = 3;
namespace of_piece {
constexpr uint32_t text = 1;
constexpr uint32_t score = 2;
constexpr uint32_t kind = 3;
}  // namespace of_piece
namespace of_trainer {
constexpr uint32_t model_type = 3;
constexpr uint32_t blank_as_suffix = 24;
constexpr uint32_t byte_fallback = 35;
}  // namespace of_trainer
namespace of_normaliser {
constexpr uint32_t characters = 2;
constexpr uint32_t adds_blank_before = 3;
constexpr uint32_t removes_extra_blanks = 4;
constexpr uint32_t marks_blanks = 5;
}  // namespace of_normaliser
}  // namespace field

class Reading {
 public:
  explicit Reading(std::string_view who) : who_(who) {}

  PieceModel read(std::string_view bytes) {
    WireReader message(bytes, who_);
    while (message.next()) {
      switch (message.field()) {
        case field::piece:
          add_piece(message.bytes());
          break;
        case field::trainer:
          read_trainer(message.bytes());
          break;
        case field::normaliser:
          read_normaliser(message.bytes());
          break;
        default:
          break;
      }
    }
    check();
    return std::move(model_);
  }

 private:
  void add_piece(std::string_view bytes) {
    WireReader message(bytes, who_);
    ScoredPiece piece;
    uint64_t kind = static_cast<uint64_t>(PieceKind::normal);
    while (message.next()) {
      switch (message.field()) {
        case field::of_piece::text:
          piece.text = message.bytes();
          break;
        case field::of_piece::score:
          piece.score = message.real();
          break;
        case field::of_piece::kind:
          kind = message.number();
          break;
        default:
          break;
      }
    }
    piece.kind = checked_kind(kind, piece.text);
    check(piece);
    model_.pieces.push_back(std::move(piece));
  }

  PieceKind checked_kind(uint64_t kind, const std::string& text) const {
    for (const PieceKind known : {PieceKind::normal, PieceKind::unknown, PieceKind::control,
                                  PieceKind::user_defined, PieceKind::unused, PieceKind::byte}) {
      if (kind == static_cast<uint64_t>(known)) {
        return known;
      }
    }
    fail(Fault::file,
         "{}: the subword \"{}\" is of kind {}, not one of 1 to 6; the vocabulary is corrupt", who_,
         make_visible(text.substr(0, 60)), kind);
  }

  void check(const ScoredPiece& piece) {
    if (piece.text.empty() || piece.text.size() > longest_piece) {
      fail(Fault::file, "{}: a subword has {} bytes, not 1 to {}; the vocabulary is corrupt", who_,
           piece.text.size(), longest_piece);
    }
    check_utf8(who_, piece.text);
    if (!std::isfinite(piece.score)) {
      fail(Fault::file,
           "{}: the score {} of a subword is not a finite number; the vocabulary is corrupt", who_,
           piece.score);
    }
    if (piece.kind == PieceKind::byte) {
      const auto byte = byte_of_token(piece.text);
      if (!byte) {
        fail(Fault::file,
             "{}: the subword \"{}\" of a byte is not written as <0x41>; the vocabulary is corrupt",
             who_, make_visible(piece.text.substr(0, 60)));
      }
      ++counts_[*byte];
    }
    unknowns_ += piece.kind == PieceKind::unknown ? 1 : 0;
    if (piece.kind == PieceKind::unknown) {
      model_.unknown = static_cast<int32_t>(model_.pieces.size());
    }
  }

  void read_trainer(std::string_view bytes) {
    WireReader message(bytes, who_);
    while (message.next()) {
      switch (message.field()) {
        case field::of_trainer::model_type:
          type_ = message.number();
          break;
        case field::of_trainer::blank_as_suffix:
          is_blank_suffix_ = message.flag();
          break;
        case field::of_trainer::byte_fallback:
          model_.has_bytes = message.flag();
          break;
        default:
          break;
      }
    }
  }

  void read_normaliser(std::string_view bytes) {
    WireReader message(bytes, who_);
    while (message.next()) {
      switch (message.field()) {
        case field::of_normaliser::characters:
          model_.characters = message.bytes();
          break;
        case field::of_normaliser::adds_blank_before:
          model_.adds_blank_before = message.flag();
          break;
        case field::of_normaliser::removes_extra_blanks:
          model_.removes_extra_blanks = message.flag();
          break;
        case field::of_normaliser::marks_blanks:
          model_.marks_blanks = message.flag();
          break;
        default:
          break;
      }
    }
  }

  void check() {
    if (type_ != 1 && type_ != 2) {
      fail(Fault::file, "{}: the subwords are of the model type {}, not 1 (unigram) or 2 (bpe)",
           who_, type_);
    }
    model_.kind = static_cast<PieceModel::Kind>(type_);
    if (is_blank_suffix_) {
      fail(Fault::file,
           "{}: the subwords have blanks behind words, not before them; learn them otherwise",
           who_);
    }
    if (unknowns_ != 1) {
      fail(Fault::file, "{}: there are {} unknown subwords, not one; the vocabulary is corrupt",
           who_, unknowns_);
    }
    check_bytes();
  }

  void check_bytes() const {
    const int wanted = model_.has_bytes ? 1 : 0;
    for (std::size_t byte = 0; byte < counts_.size(); ++byte) {
      if (counts_[byte] != wanted) {
        fail(Fault::file,
             "{}: there are {} subwords for the byte {}, not {}; the vocabulary is corrupt", who_,
             counts_[byte], byte, wanted);
      }
    }
  }

  std::string_view who_;
  PieceModel model_;
  uint64_t type_ = 1;
  bool is_blank_suffix_ = false;
  int unknowns_ = 0;
  std::array<int, 256> counts_{};  // of the pieces of each byte
};

}  // namespace

PieceModel read_piece_model(std::string_view bytes, std::string_view who) {
  return Reading(who).read(bytes);
}

}  // namespace heed
