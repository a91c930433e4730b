#include "heed/train/objective/token_links.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/line_reader.h"
#include "heed/data/rows.h"
#include "heed/metric/links.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

std::string key_of(std::span<const TokenId> source, std::span<const TokenId> target) {
  const auto count = static_cast<TokenId>(source.size());
  std::string key(reinterpret_cast<const char*>(&count), sizeof count);
  for (const std::span<const TokenId> side : {source, target}) {
    key.append(reinterpret_cast<const char*>(side.data()), side.size_bytes());
  }
  return key;
}

/// The first token of each word, and the number of tokens.
std::vector<int32_t> word_starts(std::string_view text, const Vocabulary& vocabulary) {
  const auto* pieces = dynamic_cast<const WordPieces*>(&vocabulary.tokeniser());
  const std::vector<std::string> tokens = vocabulary.split(text);
  std::vector<int32_t> starts;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i == 0 || pieces == nullptr || pieces->begins_word(tokens[i])) {
      starts.push_back(static_cast<int32_t>(i));
    }
  }
  starts.push_back(static_cast<int32_t>(tokens.size()));
  return starts;
}

/// The tokens of a word, [first, last).
std::pair<int32_t, int32_t> tokens_of(const std::vector<int32_t>& starts, int64_t word,
                                      const char* side, const std::string& where) {
  const auto words = static_cast<int64_t>(starts.size()) - 1;
  if (word >= words) {
    fail(Fault::file, "{}: a link names {} word {}, counted from 0, but there are {} words", where,
         side, word, words);
  }
  return {starts[static_cast<size_t>(word)], starts[static_cast<size_t>(word) + 1]};
}

}  // namespace

TokenLinks::TokenLinks(const std::string& path, const Fields& fields) {
  const Vocabulary& read = fields.source->vocabulary();
  const Vocabulary& written = fields.target->vocabulary();
  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    const std::vector<std::string_view> cells = split_at_tabs(line);
    if (cells.size() != 3) {
      fail(Fault::file,
           "{}: there are {} columns; give source, target and links, with tabs between them",
           lines.where(), cells.size());
    }
    const std::vector<int32_t> source = word_starts(cells[0], read);
    const std::vector<int32_t> target = word_starts(cells[1], written);
    Links links;
    for (const Link& link : read_links(cells[2], lines.where()).possible) {
      const auto [first_j, last_j] = tokens_of(source, link.first, "source", lines.where());
      const auto [first_i, last_i] = tokens_of(target, link.second, "target", lines.where());
      for (int32_t i = first_i; i < last_i; ++i) {
        for (int32_t j = first_j; j < last_j; ++j) {
          links.emplace_back(i, j);
        }
      }
    }
    std::sort(links.begin(), links.end());
    links_[key_of(read.encode(cells[0]), written.encode(cells[1]))] = std::move(links);
  }
}

const TokenLinks::Links* TokenLinks::find(std::span<const TokenId> source,
                                          std::span<const TokenId> target) const {
  const auto found = links_.find(key_of(source, target));
  return found == links_.end() ? nullptr : &found->second;
}

}  // namespace heed
