// late_request MODEL FILE MILLISECONDS MEGABYTES: asks a model once, with a deadline and a limit on memory, and says how long it took, the most
// memory that the process had, and how it ended.
//
//   g++ -std=c++20 -O2 -I. tools/late_request.cpp build/release/libheed.a -lhwy -ltomlplusplus -lfreetype -ljpeg -lpng -lsndfile -lsoxr \
//     -lkissfft-float -lutf8proc -lsentencepiece_train -lsentencepiece -lz -lfmt -o late_request
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "heed/heed.h"

int main(int count, char** words) {
  if (count != 5) {
    std::fputs("late_request MODEL FILE MILLISECONDS MEGABYTES\n", stderr);
    return 2;
  }
  const heed::Engine engine(
      {.threads = 2, .memory_limit = std::strtoull(words[4], nullptr, 10) * 1'000'000});
  const heed::LoadedModel model = engine.load(words[1]);
  const auto begun = std::chrono::steady_clock::now();
  std::string ending = "answered";
  try {
    std::ifstream file(words[2], std::ios::binary);
    heed::Request request{
        .sources = {{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}}};
    request.deadline = begun + std::chrono::milliseconds(std::atoi(words[3]));
    model.translate(request);
  } catch (const std::exception& error) {
    ending = error.what();
  }
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.0f ms, %ld MB: %s\n", taken.count(), usage.ru_maxrss / 1000, ending.c_str());
}
