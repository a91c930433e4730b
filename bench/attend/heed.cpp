// heed's side of bench/attend: the attention operator alone, fused or composed.
//
//   bench_attend SCORE NORMALISER FOCUS WAY REPORT PASS B H T S D CLOCK
//   bench_attend sweep [SECONDS [ONLY]]
//
// WAY fused, fused_bf16 or compose, REPORT none, argmax, entropy or weights, PASS forward or both.
// Says "ready", then reads from each line how often to look and answers with the seconds of each
// look. `sweep` is sweep.h's.
#include <time.h>

#include <iostream>
#include <string>

#include "bench/attend/looker.h"
#include "bench/attend/sweep.h"

namespace heed {
namespace {

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int answer(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "sweep") {
    sweep(std::cout, count > 2 ? std::stod(words[2]) : 20, count > 3 ? words[3] : "");
    return 0;
  }
  if (count != 13) {
    std::cerr << "usage: bench_attend SCORE NORMALISER FOCUS WAY REPORT PASS B H T S D CLOCK, or "
                 "bench_attend sweep [SECONDS [ONLY]]\n";
    return 2;
  }
  Asked asked{words[1], words[2], words[3], words[4], words[5], std::string(words[6]) == "both"};
  if (asked.way == "fused_bf16") {
    asked.way = "fused";
    asked.precision = Precision::bf16;
  }
  int64_t* const sizes[] = {&asked.b, &asked.h, &asked.t, &asked.s, &asked.d};
  for (int i = 0; i < 5; ++i) {
    *sizes[i] = std::stoll(words[7 + i]);
  }
  const clockid_t clock =
      std::string(words[12]) == "cpu" ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  Looker looker(asked);
  std::cout << "ready" << std::endl;
  int looks = 0;
  while (std::cin >> looks) {
    for (int i = 0; i < looks; ++i) {
      const double begin = now(clock);
      looker.look();
      std::cout << now(clock) - begin << (i + 1 < looks ? " " : "");
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) { return heed::answer(count, words); }
