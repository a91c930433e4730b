#include "heed/import/foreign_vocabulary.h"

#include <memory>

#include "heed/base/error.h"
#include "heed/base/json_reader.h"
#include "heed/text/tokenisers.h"
#include "heed/text/visible.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

constexpr const char* settings_file = "tokenizer_config.json";

/// The settings of the tokeniser that are needed here.
struct TokeniserSettings {
  std::string unknown = "<unk>";
  bool has_two_tables = false;
};

TokeniserSettings settings_of(ModelFolder& folder) {
  TokeniserSettings out;
  if (!folder.has(settings_file)) {
    return out;
  }
  const Json json = folder.json(settings_file, "the settings of the tokeniser");
  const JsonReader reader(json, folder.path_of(settings_file));
  if (const auto found = reader.find("unk_token"); found && !found->is_null()) {
    out.unknown = found->kind() == Json::Kind::object ? found->at("content").text() : found->text();
  }
  if (const auto found = reader.find("separate_vocabs"); found && !found->is_null()) {
    out.has_two_tables = found->boolean();
  }
  return out;
}

/// The tokens by their ids, each of which must be there once.
std::vector<std::string> tokens_of(ModelFolder& folder, const char* name, std::int64_t count) {
  const std::string who = folder.path_of(name);
  const Json json = folder.json(name, "the ids of tokens");
  const JsonReader reader(json, who);
  if (reader.size() != static_cast<std::size_t>(count)) {
    fail(Fault::file, "{}: there are {} tokens, not the {} of config.json; get both files again",
         who, reader.size(), count);
  }
  std::vector<std::string> tokens(static_cast<std::size_t>(count));
  for (const Json::Member& member : *json.get<Json::Object>()) {
    const auto* id = member.value.get<std::int64_t>();
    if (id == nullptr || *id < 0 || *id >= count || member.key.empty() ||
        !tokens[static_cast<std::size_t>(*id)].empty()) {
      fail(Fault::file, "{}: the token \"{}\" has the id {}, not one of its own from 0 to {}", who,
           make_visible(member.key.substr(0, 60)), make_visible(member.value.write().substr(0, 60)),
           count - 1);
    }
    tokens[static_cast<std::size_t>(*id)] = member.key;
  }
  return tokens;
}

/// >>fra<< and the like, which choose the language to write.
bool is_language(std::string_view token) {
  return token.size() > 4 && token.starts_with(">>") && token.ends_with("<<");
}

std::string table_of(ModelFolder& folder, std::vector<std::string> tokens, const char* pieces,
                     const std::string& unknown, const ForeignSpecials& specials) {
  SpecialTokens ids;
  ids.set(Special::end, specials.end);
  ids.set(Special::start, specials.start);
  ids.set(Special::unknown, SpecialTokens::none);
  Vocabulary::Uses uses;
  for (TokenId id = 0; id < static_cast<TokenId>(tokens.size()); ++id) {
    const std::string& token = tokens[static_cast<std::size_t>(id)];
    if (token == unknown) {
      ids.set(Special::unknown, id);
    } else if (is_language(token)) {
      uses[id] = TokenUse::in_front;
    }
  }
  const std::string who = folder.path_of(pieces);
  std::shared_ptr<const Tokeniser> tokeniser =
      tokeniser_of_pieces(folder.text(pieces, "the subwords of a language"), who);
  try {
    return Vocabulary::of_table(std::move(tokeniser), std::move(tokens), ids, uses).to_bytes();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", folder.path(), error.what()), Fault::file);
  }
}

FileTensor tensor_of(const char* name, const std::string& bytes) {
  return {name, DType::u8, {static_cast<std::int64_t>(bytes.size())}, bytes};
}

}  // namespace

void PairOfVocabularies::add_to(SafetensorsFile& file) const {
  if (source == target) {
    file.tensors.push_back(tensor_of("vocabulary.shared", source));
    return;
  }
  file.tensors.push_back(tensor_of("vocabulary.source", source));
  file.tensors.push_back(tensor_of("vocabulary.target", target));
}

PairOfVocabularies sentencepiece_pair(ModelFolder& folder, const ForeignSpecials& specials,
                                      std::int64_t source_tokens, std::int64_t target_tokens) {
  const TokeniserSettings settings = settings_of(folder);
  const std::vector<std::string> source = tokens_of(folder, "vocab.json", source_tokens);
  const std::vector<std::string> target =
      settings.has_two_tables ? tokens_of(folder, "target_vocab.json", target_tokens) : source;
  if (target.size() != static_cast<std::size_t>(target_tokens)) {
    fail(Fault::file,
         "{}: vocab.json has {} tokens, and the target {}, but {} has no separate_vocabs; get the "
         "files again",
         folder.path(), source.size(), target_tokens, settings_file);
  }
  return {table_of(folder, source, "source.spm", settings.unknown, specials),
          table_of(folder, target, "target.spm", settings.unknown, specials)};
}

}  // namespace heed
