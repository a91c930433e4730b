// What Marian, OpenNMT, fairseq, CTranslate2 and llama.cpp call heed's verbs and options: used for hints.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed {

/// `; did you mean "--precision int8"?` for a peer's name of an option, if the verb has heed's (its
/// options are `known`); else nothing. Case and '_' against '-' make no difference.
std::string peers_option(std::string_view name, std::span<const std::string> known);
/// The same for a verb.
std::string peers_verb(std::string_view name);

}  // namespace heed
