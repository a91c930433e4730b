// The model of a subword tokeniser, as SentencePiece writes it. What is taken splits texts.
#include "fuzz/fuzz_target.h"
#include "heed/text/subword/splitter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const std::string bytes = fuzz::text_of(data, size);
  fuzz::take_or_refuse(Fault::file, [&bytes] {
    const SubwordSplitter splitter(read_piece_model(bytes, "subwords"), "subwords");
    for (const char* text : {"", "  ", "the house is  small", "ﬁ ① x 中文 é é", "\u2581a\u2581"}) {
      splitter.split(text);
    }
  });
  return 0;
}
