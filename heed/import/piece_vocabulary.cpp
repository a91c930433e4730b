#include "heed/import/piece_vocabulary.h"

#include <charconv>
#include <map>
#include <memory>
#include <vector>

#include "heed/base/error.h"
#include "heed/import/foreign_settings.h"
#include "heed/text/subword/piece_model.h"
#include "heed/text/tokenisers.h"
#include "heed/text/visible.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

constexpr const char* names_file = "tokenizer_config.json";
constexpr const char* older_names_file = "added_tokens.json";
constexpr std::int64_t usual_extra_ids = 100;
constexpr std::int64_t most_extra_ids = 1 << 16;

/// Names by id, of pieces and behind them.
class NamedIds {
 public:
  NamedIds(ModelFolder& folder, std::int64_t pieces) : folder_(folder), pieces_(pieces) {}

  std::map<std::int64_t, std::string> read() {
    std::int64_t extra = usual_extra_ids;
    if (folder_.has(names_file)) {
      const Json json = folder_.json(names_file, "the settings of the tokeniser");
      ForeignSettings settings(json, folder_.path_of(names_file));
      extra = settings.whole("extra_ids", 0, most_extra_ids, usual_extra_ids);
      settings.must_be("sp_model_kwargs", Json());
      settings.must_be("do_lower_case", false);
      if (const auto added = settings.find("added_tokens_decoder")) {
        read_added(*added);
      }
    }
    if (folder_.has(older_names_file)) {
      const Json json = folder_.json(older_names_file, "tokens behind the pieces");
      const JsonReader reader(json, folder_.path_of(older_names_file));
      for (const auto& [name, id] : reader.members()) {
        add(id.integer(0), name, id);
      }
    }
    for (std::int64_t i = 0; i < extra; ++i) {
      names_.emplace(pieces_ + extra - 1 - i, fmt::format("<extra_id_{}>", i));
    }
    return std::move(names_);
  }

 private:
  void read_added(const JsonReader& added) {
    for (const auto& [key, token] : added.members()) {
      std::int64_t id = -1;
      const char* const end = key.data() + key.size();
      if (std::from_chars(key.data(), end, id).ptr != end || id < 0) {
        token.refuse("the id of a token as its name");
      }
      add(id, token.at("content").text(), token);
    }
  }

  void add(std::int64_t id, const std::string& name, const JsonReader& where) {
    if (const auto [known, is_new] = names_.emplace(id, name); !is_new && known->second != name) {
      where.refuse(fmt::format("\"{}\", as before", make_visible(known->second.substr(0, 60))));
    }
  }

  ModelFolder& folder_;
  std::int64_t pieces_;
  std::map<std::int64_t, std::string> names_;
};

/// The tokens by id, and where a text has those that are no ordinary pieces.
struct PieceTable {
  std::vector<std::string> tokens = {};
  Vocabulary::Uses uses = {};
};

PieceTable table_of(const PieceModel& model, std::map<std::int64_t, std::string> names,
                    std::int64_t count, const std::string& who) {
  PieceTable out;
  for (const ScoredPiece& piece : model.pieces) {
    const auto id = static_cast<TokenId>(out.tokens.size());
    if (const auto named = names.find(id); named != names.end() && named->second != piece.text) {
      fail(Fault::file,
           "{}: the tokeniser's settings call the piece {}, \"{}\", \"{}\"; get the files again",
           who, id, make_visible(piece.text.substr(0, 60)),
           make_visible(named->second.substr(0, 60)));
    }
    if (piece.kind == PieceKind::control || piece.kind == PieceKind::unused) {
      out.uses[id] = TokenUse::never;
    }
    out.tokens.push_back(piece.text);
  }
  while (static_cast<std::int64_t>(out.tokens.size()) < count) {
    const auto id = static_cast<TokenId>(out.tokens.size());
    const auto named = names.find(id);
    const bool has_name = named != names.end();
    out.uses[id] = has_name ? TokenUse::anywhere : TokenUse::never;
    out.tokens.push_back(has_name ? named->second : fmt::format("<unused {}>", id));
  }
  return out;
}

}  // namespace

std::string vocabulary_of_pieces(ModelFolder& folder, const char* pieces,
                                 const ForeignSpecials& specials, std::int64_t tokens) {
  const std::string who = folder.path_of(pieces);
  const std::string bytes = folder.text(pieces, "the subwords of the languages");
  const PieceModel model = read_piece_model(bytes, who);
  const auto count = static_cast<std::int64_t>(model.pieces.size());
  if (count > tokens) {
    fail(Fault::file,
         "{}: there are {} pieces, more than the {} tokens of config.json; get both files again",
         who, count, tokens);
  }
  PieceTable table = table_of(model, NamedIds(folder, count).read(), tokens, who);
  SpecialTokens ids;
  ids.set(Special::end, specials.end);
  ids.set(Special::start, specials.start);
  ids.set(Special::unknown, model.unknown);
  for (const TokenId id : ids.ids()) {
    table.uses.erase(id);
  }
  try {
    return Vocabulary::of_table(tokeniser_of_pieces(bytes, who), std::move(table.tokens), ids,
                                std::move(table.uses))
        .to_bytes();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", folder.path(), error.what()), Fault::file);
  }
}

}  // namespace heed
