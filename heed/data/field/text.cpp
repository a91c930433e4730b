// text: a cell is a sentence, an item its token ids, a batch has one id a row and ends every
// sentence in the end token. Of a cell longer than `first_tokens` only the beginning is read, and
// quotes and capitals are read as `plain_quotes` and `lower_capitals` say, in training and in
// serving alike.
#include "heed/config/limits.h"
#include "heed/data/batch.h"
#include "heed/data/fields.h"
#include "heed/data/token_items.h"
#include "heed/text/typing.h"

namespace heed {
namespace {

class TextField : public Field {
 public:
  void describe(Describer& d) override {
    d.setting("whole", is_one_text_,
              {"a source is one text, such as one to be summarised, and is never split into "
               "sentences"});
    d.setting("first_tokens", first_tokens_,
              {.help = "only so many tokens of a longer source are read, in training and by the "
                       "trained model; 0: all",
               .least = 0,
               .most = most_slots});
    d.setting("plain_quotes", has_plain_quotes_,
              {"read ’ and “ in a source as the ' and \" of a plain keyboard"});
    d.setting("lower_capitals", lowers_capitals_,
              {"read a source that is all in capitals in small letters"});
  }
  RowForm form() const override {
    return RowForm::ids(static_cast<int64_t>(vocabulary().size()), specials());
  }
  std::string summary() const override {
    return fmt::format(
        "{} tokens ({}){}{}", vocabulary().size(), vocabulary().tokeniser().name(),
        is_one_text_ ? ", never split into sentences" : "",
        first_tokens_ > 0 ? fmt::format(", the first {} of a text", first_tokens_) : "");
  }
  bool is_one_text() const override { return is_one_text_; }
  int64_t first_tokens() const override { return first_tokens_; }
  bool is_read_as_source() const override {
    return is_one_text_ || first_tokens_ > 0 || has_plain_quotes_ || lowers_capitals_;
  }
  RowKind row_kind() const override { return RowKind::ids; }

  std::string as_read(std::string_view cell) const override {
    std::string text = has_plain_quotes_ ? with_plain_quotes(cell) : std::string(cell);
    return lowers_capitals_ ? without_shouting(text) : text;
  }
  Item read(std::string_view cell) const override { return reading(std::string(cell)).item; }
  ReadSource reading(const Source& source) const override {
    const std::string text = as_read(source.text());
    const size_t names = vocabulary().names_before(text).names.size();
    std::vector<std::string> tokens = vocabulary().split(text);
    if (first_tokens_ > 0 && static_cast<int64_t>(tokens.size()) > first_tokens_) {
      tokens.resize(static_cast<size_t>(first_tokens_));
    }
    return {item_of(vocabulary().ids(tokens, names)), std::move(tokens)};
  }
  int64_t length(ItemView item) const override { return static_cast<int64_t>(ids_of(item).size()); }
  int64_t rows(ItemView item) const override { return length(item) + 1; }
  HostRows collate(std::span<const Item> items, const Place& place) const override {
    return token_rows(items, {.after = specials().end()}, place);
  }
  /// The tokens as they are read, known or not, and the end token.
  std::vector<std::string> labels(const ReadSource& read) const override {
    std::vector<std::string> tokens = read.tokens;
    tokens.push_back(vocabulary().token(specials().end()));
    return tokens;
  }

 private:
  bool is_one_text_ = false;
  int64_t first_tokens_ = 0;
  bool has_plain_quotes_ = false;
  bool lowers_capitals_ = false;
};

}  // namespace

std::unique_ptr<Field> text_field() { return std::make_unique<TextField>(); }

}  // namespace heed
