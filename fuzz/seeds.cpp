// fuzz_seeds FOLDER: writes the pictures, sounds and archives from which fuzzing starts. seeds.py
// calls it, and writes the others.
#include <sndfile.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/data/made_tar.h"
#include "tests/media/made_pictures.h"
#include "tests/media/sound_bytes.h"

namespace heed {
namespace {

void put(const std::filesystem::path& folder, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

void put_pictures(const std::filesystem::path& folder) {
  const Picture picture = test::sloping(11, 9);
  std::vector<std::uint8_t> ink;
  std::vector<std::string> few(9);  // rows of two bits a pixel
  for (std::size_t i = 0; i < picture.cells(); ++i) {
    ink.insert(ink.end(), {picture.pixels[3 * i], picture.pixels[3 * i + 1], 90, 200});
    few[i / 11] += static_cast<char>(i % 4);
  }
  const std::vector<std::string> sixteen(9, std::string(std::size_t{8} * 11, '\x35'));
  put(folder, "jpeg", test::jpeg_file(picture));
  put(folder, "jpeg-progressive",
      test::jpeg_file(picture, {.is_progressive = true, .is_subsampled = true, .orientation = 6}));
  put(folder, "jpeg-restarts",
      test::jpeg_file(picture, {.is_subsampled = true, .restart_rows = 1}));
  put(folder, "jpeg-ink", test::jpeg_file(ink, 11, 4, {.in = JCS_CMYK, .stored = JCS_YCCK}));
  put(folder, "png", test::png_file(picture));
  put(folder, "png-interlaced", test::png_file(picture, {.is_interlaced = true, .orientation = 8}));
  // A chunk that promises 400 MB, for which libpng would take the memory.
  std::string promising = test::png_file(picture, {.orientation = 8});
  if (const std::size_t name = promising.find("eXIf"); name != std::string::npos) {
    promising[name - 4] = '\x19';
  }
  put(folder, "png-promising", promising);
  put(folder, "png-sixteen",
      test::png_file(sixteen, 11, {.colours = PNG_COLOR_TYPE_RGB_ALPHA, .bits = 16}));
  put(folder, "png-palette",
      test::png_file(few, 11,
                     {.colours = PNG_COLOR_TYPE_PALETTE,
                      .palette = {{1, 2, 3}, {40, 50, 60}, {70, 80, 90}, {200, 210, 220}}}));
}

void put_sounds(const std::filesystem::path& folder) {
  const Sound sound = test::sine(440, 8000, 0.01);
  struct Form {
    const char* name;
    int format;
  };
  constexpr std::array forms = {Form{"wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
                                Form{"wav-float", SF_FORMAT_WAV | SF_FORMAT_FLOAT},
                                Form{"wav-ulaw", SF_FORMAT_WAV | SF_FORMAT_ULAW},
                                Form{"rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_24},
                                Form{"flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
                                Form{"aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
                                Form{"au", SF_FORMAT_AU | SF_FORMAT_PCM_16},
                                Form{"nist", SF_FORMAT_NIST | SF_FORMAT_PCM_16}};
  for (const Form& form : forms) {
    const test::Bytes bytes = test::encoded(sound, form.format);
    put(folder, form.name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

void put_archives(const std::filesystem::path& folder) {
  put(folder, "two",
      test::tar_entry("a.png", "first") + test::tar_entry("c.png", "second", '0', "b") +
          test::tar_end());
  put(folder, "pax",
      test::tar_entry("x", "17 path=b/c.png\n11 size=4\n", 'x') + test::tar_entry("y", "long") +
          test::tar_end());
  put(folder, "gnu",
      test::tar_entry("././@LongLink", "b/c.png", 'L') + test::tar_entry("y", "long") +
          test::tar_entry("folder", "", '5') + test::tar_end());
}

}  // namespace
}  // namespace heed

int main(int count, char** words) {
  if (count != 2) {
    return 2;
  }
  const std::filesystem::path folder = words[1];
  heed::put_pictures(folder / "picture");
  heed::put_sounds(folder / "sound");
  heed::put_archives(folder / "tar");
}
