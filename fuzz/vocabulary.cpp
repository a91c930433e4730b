// A vocabulary as model files hold it. The lengths and the digest of a subword tokeniser's state are
// repaired, so that the pieces themselves are what changes. What is taken must write the same bytes
// again, and must be able to split and join text.
#include "heed/text/vocabulary.h"

#include <fmt/core.h>

#include "fuzz/fuzz_target.h"
#include "heed/base/sha256.h"
#include "heed/text/utf8.h"

namespace heed::fuzz {
namespace {

/// Replaces the number before `unit` on the line that begins at `line`.
void set_number_before(std::string& text, std::size_t line, const std::string& unit,
                       std::size_t number) {
  const std::size_t end = std::min(text.find('\n', line), text.size());
  const std::size_t at = text.find(unit, line);
  if (at == std::string::npos || at > end) {
    return;
  }
  const std::size_t before = text.rfind(' ', at - 1);
  if (before != std::string::npos && before >= line && before < at) {
    text.replace(before + 1, at - before - 1, std::to_string(number));
  }
}

void repair_state(std::string& bytes) {
  const std::size_t state = bytes.find("heed sentencepiece 1: ");
  const std::size_t model = bytes.find('\n', state == std::string::npos ? bytes.size() : state);
  if (model == std::string::npos) {
    return;
  }
  const std::string pieces = bytes.substr(model + 1);
  std::string line = bytes.substr(state, model - state);
  set_number_before(line, 0, " bytes,", pieces.size());
  if (const std::size_t digest = line.find("sha256 "); digest != std::string::npos) {
    line = line.substr(0, digest + 7) + sha256_hex(pieces);
  }
  bytes = bytes.substr(0, state) + line + "\n" + pieces;
  set_number_before(bytes, 0, " bytes of state", bytes.size() - state);
}

void use(const Vocabulary& vocabulary) {
  for (const char* text : {"", " ", "the house is  small", "ﬁ ① x 中文 é é", "<s> </s> <unk>"}) {
    const std::string said = vocabulary.decode(vocabulary.encode(text));
    if (find_invalid_utf8(said)) {
      report("saw text that is not UTF-8", said);
    }
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  std::string bytes = fuzz::text_of(data, size);
  fuzz::repair_state(bytes);
  fuzz::take_or_refuse(Fault::file, [&bytes] {
    const Vocabulary vocabulary = Vocabulary::from_bytes(bytes);
    if (!bytes.starts_with("heed vocabulary 1") && vocabulary.to_bytes() != bytes) {
      fuzz::report("saw other bytes after reading and writing", vocabulary.to_bytes());
    }
    fuzz::use(vocabulary);
  });
  return 0;
}
