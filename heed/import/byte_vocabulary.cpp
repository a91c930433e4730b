#include "heed/import/byte_vocabulary.h"

#include <algorithm>
#include <memory>
#include <set>

#include "heed/base/error.h"
#include "heed/import/foreign_settings.h"
#include "heed/text/subword/byte_letters.h"
#include "heed/text/tokenisers.h"
#include "heed/text/visible.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

constexpr const char* whole_file = "tokenizer.json";
constexpr const char* table_file = "vocab.json";
constexpr const char* merges_file = "merges.txt";
constexpr const char* added_file = "added_tokens.json";

class ByteVocabularyReading {
 public:
  ByteVocabularyReading(ModelFolder& folder, std::int64_t count) : folder_(folder) {
    out_.tokens.resize(static_cast<std::size_t>(count));
  }

  ByteVocabulary read() {
    if (folder_.has(table_file)) {
      read_parts();
    } else {
      read_whole();
    }
    name_times();
    check();
    return std::move(out_);
  }

 private:
  void read_parts() {
    const Json table = folder_.json(table_file, "the ids of tokens");
    add_table(JsonReader(table, folder_.path_of(table_file)), false);
    if (folder_.has(added_file)) {
      const Json added = folder_.json(added_file, "the ids of added tokens");
      add_table(JsonReader(added, folder_.path_of(added_file)), true);
    }
    const std::string text = folder_.text(merges_file, "the pairs that are merged");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      const bool is_version = at == 0 && line.starts_with("#version");
      if (!line.empty() && !is_version) {
        out_.merges += std::string(line) + "\n";
      }
      at = end + 1;
    }
  }

  void read_whole() {
    const std::string who = folder_.path_of(whole_file);
    const Json json = folder_.json(whole_file, "the tokens, if there is no vocab.json");
    const JsonReader reader(json, who);
    check_steps(json, who);
    const JsonReader model = reader.at("model");
    check_model(model.value(), who);
    add_table(model.at("vocab"), false);
    for (const JsonReader& merge : model.at("merges").items()) {
      const bool is_pair = merge.kind() == Json::Kind::array;
      if (is_pair && merge.size() != 2) {
        merge.refuse("a pair of tokens");
      }
      const std::string line =
          is_pair ? merge.at(std::size_t{0}).text() + " " + merge.at(1).text() : merge.text();
      if (line.find('\n') != std::string::npos) {
        merge.refuse("tokens without a line's end");
      }
      out_.merges += line + "\n";
    }
    for (const JsonReader& one : reader.at("added_tokens").items()) {
      add(one.at("content").text(), one.at("id").value(), true, who);
    }
  }

  /// What is done to a text before and behind its merges.
  static void check_steps(const Json& json, const std::string& who) {
    ForeignSettings all(json, who);
    all.must_be("normalizer", Json());
    for (const char* name : {"pre_tokenizer", "decoder"}) {
      const auto found = all.find(name);
      if (!found) {
        fail(Fault::file, "{}: there is no {}; only that of GPT-2, ByteLevel, is known to heed",
             who, name);
      }
      ForeignSettings step(found->value(), who);
      step.must_be("type", "ByteLevel");
      step.must_be("use_regex", true);
      if (std::string_view(name) == "pre_tokenizer") {
        step.must_be("add_prefix_space", false);
      }
      step.ignore({"add_prefix_space", "trim_offsets"});
      step.finish();
    }
    all.ignore({"version", "truncation", "padding", "added_tokens", "post_processor", "model"});
    all.finish();
  }

  static void check_model(const Json& json, const std::string& who) {
    ForeignSettings model(json, who);
    model.must_be("type", "BPE");
    model.must_be("dropout", Json());
    model.must_be("byte_fallback", false);
    model.must_be("ignore_merges", false);
    for (const char* part : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      model.must_be(part, "");
    }
    model.ignore({"vocab", "merges", "unk_token", "fuse_unk"});
    model.finish();
  }

  void add_table(const JsonReader& table, bool is_added) {
    if (table.kind() != Json::Kind::object) {
      table.refuse("a table of tokens and ids");
    }
    for (const Json::Member& member : *table.value().get<Json::Object>()) {
      add(member.key, member.value, is_added, folder_.path());
    }
  }

  /// An added token may be in the table, too.
  void add(const std::string& token, const Json& number, bool is_added, const std::string& who) {
    const auto* id = number.get<std::int64_t>();
    const auto count = static_cast<std::int64_t>(out_.tokens.size());
    const bool is_id = id != nullptr && *id >= 0 && *id < count;
    std::string* const place = is_id ? &out_.tokens[static_cast<std::size_t>(*id)] : nullptr;
    const bool is_free = place != nullptr && (place->empty() || (is_added && *place == token));
    if (token.empty() || !is_free) {
      fail(Fault::file, "{}: the token \"{}\" has the id {}, not one of its own from 0 to {}", who,
           make_visible(token.substr(0, 60)), make_visible(number.write().substr(0, 60)),
           count - 1);
    }
    *place = token;
    if (is_added) {
      out_.added.push_back(static_cast<TokenId>(*id));
    }
  }

  void name_times() {
    const auto last = std::find(out_.tokens.begin(), out_.tokens.end(), "<|notimestamps|>");
    int hundredths = 0;
    for (auto at = last; last != out_.tokens.end() && ++at != out_.tokens.end(); hundredths += 2) {
      if (at->empty()) {
        *at = fmt::format("<|{}.{:02}|>", hundredths / 100, hundredths % 100);
        out_.added.push_back(static_cast<TokenId>(at - out_.tokens.begin()));
      }
    }
    std::sort(out_.added.begin(), out_.added.end());
  }

  void check() const {
    const std::set<std::string_view> all(out_.tokens.begin(), out_.tokens.end());
    if (all.count("") > 0) {
      const auto missing = std::find(out_.tokens.begin(), out_.tokens.end(), "");
      fail(Fault::file, "{}: the id {} of the {} of config.json has no token; get the files again",
           folder_.path(), missing - out_.tokens.begin(), out_.tokens.size());
    }
    for (int byte = 0; byte < 256; ++byte) {
      const std::string_view letter = letter_of_byte(static_cast<std::uint8_t>(byte));
      if (all.count(letter) == 0) {
        fail(Fault::file, "{}: no token spells the byte {}, \"{}\"; get the files again",
             folder_.path(), byte, letter);
      }
    }
    std::string_view rest = out_.merges;
    while (!rest.empty()) {
      std::string line(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(line.size() + 1);
      const std::size_t blank = std::min(line.find(' '), line.size());
      if (all.count(line.substr(0, blank) + line.substr(std::min(blank + 1, line.size()))) == 0) {
        fail(Fault::file, "{}: the merge \"{}\" makes no token; get the files again",
             folder_.path(), make_visible(line.substr(0, 60)));
      }
    }
  }

  ModelFolder& folder_;
  ByteVocabulary out_;
};

}  // namespace

TokenId ByteVocabulary::added_token(const std::string& text, const std::string& who) const {
  for (const TokenId id : added) {
    if (tokens[static_cast<std::size_t>(id)] == text) {
      return id;
    }
  }
  fail(Fault::file, "{}: there is no token {}", who, make_visible(text.substr(0, 60)));
}

std::string ByteVocabulary::bytes(const ForeignSpecials& specials, const std::string& who) const {
  SpecialTokens ids;
  ids.set(Special::end, specials.end);
  ids.set(Special::start, specials.start);
  ids.set(Special::unknown, SpecialTokens::none);
  Vocabulary::Uses uses;
  for (const TokenId id : added) {
    if (!ids.contains(id)) {
      uses[id] = TokenUse::silent;
    }
  }
  try {
    return Vocabulary::of_table(tokeniser_of_merges(merges, true, who), tokens, ids,
                                std::move(uses))
        .to_bytes();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", who, error.what()), Fault::file);
  }
}

ByteVocabulary byte_vocabulary(ModelFolder& folder, std::int64_t count) {
  return ByteVocabularyReading(folder, count).read();
}

}  // namespace heed
