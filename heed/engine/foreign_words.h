// What other projects call heed's settings. A recipe that says `batch_size` or `lr` is told heed's name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed {

struct ForeignWord {
  std::string_view word;
  std::string_view path;        // of heed's setting; a leading '*' stands for the path of any part
  std::string_view other = {};  // a second setting that may be meant
  std::string_view value = {};  // the value that means the same, if the word is a flag there
};

std::span<const ForeignWord> foreign_words();

/// `; in heed it is training.batch_sentences or training.batch_tokens`, or nothing: the end of a message
/// about the unknown setting `name`. Case and '-' against '_' make no difference.
std::string in_heeds_words(std::string_view name);

}  // namespace heed
