// Cutting text into subwords, heed's own reader beside SentencePiece's library, on every line of
// the given files in turns: whether the tokens are the same, and how long each takes.
//
//     bench_subwords OUT.json FILE…
//
// For each kind and normalisation a model of 8000 pieces is learnt from the first 100 000 lines.
#include <sentencepiece_processor.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/text/subword/learn.h"
#include "heed/text/subword/splitter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::size_t lines_to_learn = 100'000;
constexpr std::size_t lines_a_turn = 1000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> read_lines(int count, char** files) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::ifstream file(files[i]);
    for (std::string line; std::getline(file, line);) {
      if (!find_invalid_utf8(line)) {
        lines.push_back(line);
      }
    }
  }
  return lines;
}

struct Compared {
  std::size_t unequal = 0;
  std::size_t tokens = 0;
  double ours = 0;
  double theirs = 0;
  double our_load = 0;
  double their_load = 0;
};

Compared compare(const std::string& model, const std::vector<std::string>& lines) {
  Compared result;
  double start = now();
  sentencepiece::SentencePieceProcessor library;
  require(library.LoadFromSerializedProto(model).ok(), "bench: the library refuses the model");
  result.their_load = now() - start;
  start = now();
  const SubwordSplitter own(read_piece_model(model, "bench"), "bench");
  result.our_load = now() - start;
  for (std::size_t first = 0; first < lines.size(); first += lines_a_turn) {
    const std::size_t last = std::min(first + lines_a_turn, lines.size());
    std::vector<std::vector<std::string>> theirs(last - first);
    std::vector<std::vector<std::string>> ours(last - first);
    start = now();
    for (std::size_t i = first; i < last; ++i) {
      require(library.Encode(lines[i], &theirs[i - first]).ok(),
              "bench: the library refuses a line");
    }
    const double between = now();
    for (std::size_t i = first; i < last; ++i) {
      ours[i - first] = own.split(lines[i]);
    }
    result.ours += now() - between;
    result.theirs += between - start;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      result.tokens += ours[i].size();
      result.unequal += ours[i] == theirs[i] ? 0 : 1;
    }
  }
  return result;
}

int run(int count, char** words) {
  if (count < 3) {
    std::cerr << "usage: bench_subwords OUT.json FILE...\n";
    return 2;
  }
  const std::vector<std::string> lines = read_lines(count - 2, words + 2);
  const std::vector<std::string> some(
      lines.begin(),
      lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), lines_to_learn)));
  std::ofstream out(words[1]);
  for (const char* kind : {"unigram", "bpe"}) {
    for (const char* normalise : {"none", "nfkc", "nmt_nfkc"}) {
      const std::string model =
          learn_pieces(kind, some, {.max_size = 8000, .normalise = normalise});
      const Compared c = compare(model, lines);
      const std::string row = fmt::format(
          R"({{"kind": "{}", "normalise": "{}", "lines": {}, "tokens": {}, "unequal": {}, "heed_s": {:.3f}, "library_s": {:.3f}, "faster": {:.2f}, "heed_load_ms": {:.2f}, "library_load_ms": {:.2f}}})",
          kind, normalise, lines.size(), c.tokens, c.unequal, c.ours, c.theirs, c.theirs / c.ours,
          1e3 * c.our_load, 1e3 * c.their_load);
      std::cout << row << std::endl;
      out << row << "\n";
    }
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) {
  try {
    return heed::run(count, words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
