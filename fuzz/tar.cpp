// A tar archive. The checksum of every header is repaired, so that names and sizes are what changes.
#include "fuzz/file_in_memory.h"
#include "fuzz/fuzz_target.h"
#include "heed/data/tar_files.h"

namespace heed::fuzz {
namespace {

/// In every block that could be a header: of all blocks, since the data of a file may be one, too.
void repair_checksums(std::string& file) {
  constexpr std::size_t block = 512;
  constexpr std::size_t at = 148;  // of the checksum, eight bytes
  for (std::size_t begin = 0; begin + block <= file.size(); begin += block) {
    if (file.compare(begin + 257, 5, "ustar") != 0) {
      continue;
    }
    file.replace(begin + at, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < block; ++i) {
      sum += static_cast<unsigned char>(file[begin + i]);
    }
    for (std::size_t digit = 6; digit-- > 0; sum /= 8) {
      file[begin + at + digit] = static_cast<char>('0' + sum % 8);
    }
    file[begin + at + 6] = '\0';
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  static const fuzz::FileInMemory file;
  std::string archive = fuzz::text_of(data, size);
  fuzz::repair_checksums(archive);
  const std::string path = file.with(archive);
  fuzz::take_or_refuse(Fault::file, [&path] {
    const TarFile tar(path);
    for (const char* name : {"a.png", "b/c.png", "missing"}) {
      fuzz::take_or_refuse(Fault::file, [&] { tar.read(name, 4096); });
    }
  });
  return 0;
}
