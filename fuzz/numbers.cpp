// Rows of numbers: the input is read as an .npy file, as raw numbers (plain or gzip) and as text.
#include "fuzz/file_in_memory.h"
#include "fuzz/fuzz_target.h"
#include "heed/data/number_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  static const fuzz::FileInMemory file;
  const std::string text = fuzz::text_of(data, size);
  const std::string path = file.with(text);
  for (const std::int64_t width : {1, 3}) {
    fuzz::take_or_refuse(Fault::file, [&] { read_npy(path, width); });
    fuzz::take_or_refuse(Fault::file, [&] { parse_rows(text, width); });
    fuzz::take_or_refuse(Fault::file, [&] { NumberFiles().read({path, 1, 2}, width); });
  }
  return 0;
}
