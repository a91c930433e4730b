// A sound file of any format that libsndfile knows.
#include "fuzz/fuzz_target.h"
#include "heed/media/sound_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  constexpr double most_seconds = 0.25;
  fuzz::take_or_refuse(Fault::file, [&bytes] {
    const Sound sound = decode_sound(bytes, "sound", {}, {.most_seconds = most_seconds});
    if (static_cast<double>(sound.samples.size()) > most_seconds * sound.rate + 1) {
      fuzz::report("saw more samples than the limit allows", std::to_string(sound.samples.size()));
    }
  });
  fuzz::take_or_refuse(Fault::file, [&bytes] {
    decode_sound(bytes, "sound", {0.001, 0.002}, {.most_seconds = most_seconds});
  });
  return 0;
}
