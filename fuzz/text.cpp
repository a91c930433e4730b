// Lines of text, plain or gzip: read, checked, split into sentences, cut into pieces, tokenised and
// made visible. Nothing may be lost on the way.
#include <array>

#include "fuzz/file_in_memory.h"
#include "fuzz/fuzz_target.h"
#include "heed/base/line_reader.h"
#include "heed/data/fields.h"
#include "heed/engine/answer/pieces.h"
#include "heed/text/display_width.h"
#include "heed/text/sentences.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed::fuzz {
namespace {

constexpr std::size_t most_line_bytes = 4096;

std::shared_ptr<Field> field_of_characters() {
  std::shared_ptr<Field> field = FieldChoice().made().source;
  field->set_vocabulary(std::make_shared<const Vocabulary>(
      std::shared_ptr<const Tokeniser>(characters()), std::vector<std::string>{"a", "b", " "}));
  return field;
}

void check_nothing_lost(const std::string& line) {
  static const std::shared_ptr<Field> field = field_of_characters();
  std::string joined;
  for (const Sentence& sentence : split_sentences(line)) {
    joined.append(sentence.text).append(sentence.gap);
  }
  if (joined != line) {
    report("saw sentences that are not the line", line);
  }
  joined.clear();
  for (const PieceText& piece : pieces_of(line, *field, {true, 16, 1})) {
    joined += piece.text + piece.gap;
  }
  // Blanks before the first sentence belong to no piece.
  if (!line.ends_with(joined) && joined != line) {
    report("saw pieces that are not the line", line);
  }
}

void take(const std::string& line) {
  if (find_invalid_utf8(line)) {
    return;
  }
  check_nothing_lost(line);
  static const std::array<std::unique_ptr<Tokeniser>, 3> all = {words(), characters(),
                                                                tokenisers().make("bytes")};
  for (const auto& tokeniser : all) {
    const std::string text = tokeniser->join(tokeniser->split(line));
    if (tokeniser->name() != "words" && text != line) {
      report("saw another text after splitting and joining", line);
    }
  }
  display_width(line);
  make_visible(line);
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  static const fuzz::FileInMemory file;
  const std::string path = file.with(fuzz::text_of(data, size));
  fuzz::take_or_refuse(Fault::file, [&path] {
    LineReader reader(path, fuzz::most_line_bytes);
    std::string line;
    for (int lines = 0; lines < 64; ++lines) {
      const LineFound found = reader.find(line);
      if (found == LineFound::none) {
        break;
      }
      if (found == LineFound::line) {
        fuzz::take(line);
      }
    }
  });
  return 0;
}
