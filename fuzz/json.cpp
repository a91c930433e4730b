// A JSON text: what is taken is written in the same way again, and reads back to the same value.
#include "heed/base/json.h"

#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const std::string text = fuzz::text_of(data, size);
  fuzz::take_or_refuse(Fault::file, [&text] {
    const Json value = parse_json(text, "json", {.most_values = 10'000});
    const std::string written = value.write();
    if (!(parse_json(written, "json") == value)) {
      fuzz::report("saw another value after writing and reading", written);
    }
  });
  return 0;
}
