#include "bench/attend/sweep.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "bench/attend/looker.h"

namespace heed {
namespace {

struct Size {
  int64_t b, h, t, s, d;
};

constexpr Size sizes[] = {
    {1, 1, 1, 1, 8},     {1, 1, 1, 7, 16},     {1, 1, 5, 5, 8},       {2, 4, 7, 9, 16},
    {1, 8, 1, 64, 64},   {8, 8, 1, 256, 64},   {1, 8, 4, 64, 64},     {8, 8, 4, 256, 64},
    {4, 2, 1, 33, 512},  {4, 8, 16, 16, 64},   {4, 8, 32, 32, 64},    {2, 8, 64, 64, 64},
    {2, 4, 64, 64, 128}, {2, 4, 64, 64, 32},   {1, 4, 128, 128, 64},  {1, 2, 256, 256, 64},
    {1, 1, 512, 512, 8}, {1, 2, 512, 512, 64}, {1, 1, 512, 512, 128}, {1, 2, 16, 512, 64},
    {1, 2, 17, 512, 64}, {1, 2, 512, 16, 64},
};

struct Case {
  Asked asked;
  double fused = 0;     // seconds of a look
  double composed = 0;  // the same
  double ratio() const { return fused / composed; }
};

/// Of the processor: others may be at work beside.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(Looker& looker, int64_t looks) {
  const double begin = now();
  for (int64_t i = 0; i < looks; ++i) {
    looker.look();
  }
  return (now() - begin) / static_cast<double>(looks);
}

/// The least of several rounds, each in turns.
void measure(Case& c, double seconds) {
  constexpr int rounds = 5;
  Asked other = c.asked;
  other.way = "compose";
  Looker fused(c.asked);
  Looker composed(other);
  const double once = seconds_of(fused, 1) + seconds_of(composed, 1);  // warms up, too
  const double again = seconds_of(fused, 1) + seconds_of(composed, 1);
  const auto looks =
      std::clamp<int64_t>(static_cast<int64_t>(seconds / rounds / std::min(once, again)), 1, 10000);
  c.fused = c.composed = 1e9;
  for (int round = 0; round < rounds; ++round) {
    c.fused = std::min(c.fused, seconds_of(fused, looks));
    c.composed = std::min(c.composed, seconds_of(composed, looks));
  }
}

/// Composed, an additive score holds rows × slots × width.
bool fits(const Asked& asked) {
  return asked.score != "additive" || asked.b * asked.h * asked.t * asked.s * asked.d < 1 << 24;
}

std::string words_of(const Asked& a) {
  return fmt::format("{} {} {} {} {}x{}", a.score, a.normaliser, a.focus,
                     a.trains ? "both" : "forward", a.t, a.s);
}

std::vector<Case> cases(const std::string& only) {
  std::vector<Case> all;
  for (const auto& score : scores()) {
    for (const auto& normaliser : normalisers()) {
      // Scores differ before the kernel; one of each pair stands for its row and its column.
      if (score.name != std::string("scaled_dot") && normaliser.name != std::string("softmax")) {
        continue;
      }
      for (const Size& n : sizes) {
        for (const char* focus : {"everywhere", "causal"}) {
          for (const bool trains : {false, true}) {
            Asked asked{
                score.name, normaliser.name, focus, "fused", "none", trains, n.b, n.h, n.t, n.s,
                n.d};
            const bool is_plain = std::string(focus) == "everywhere" || n.t > 1;
            if (is_plain && fits(asked) && words_of(asked).find(only) != std::string::npos &&
                Looker(asked).has_kernel()) {
              all.push_back({asked});
            }
          }
        }
      }
    }
  }
  return all;
}

}  // namespace

void sweep(std::ostream& out, double seconds, const std::string& only) {
  std::vector<Case> all = cases(only);
  for (Case& c : all) {
    measure(c, seconds / static_cast<double>(all.size()));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Case& a, const Case& b) { return a.ratio() > b.ratio(); });
  for (const Case& c : all) {
    const Asked& a = c.asked;
    out << fmt::format(
        R"({{"score": "{}", "normaliser": "{}", "focus": "{}", "pass": "{}", "shape": [{}, {}, {}, {}, {}], "fused_us": {:.2f}, "composed_us": {:.2f}, "fused/composed": {:.3f}}})"
        "\n",
        a.score, a.normaliser, a.focus, a.trains ? "both" : "forward", a.b, a.h, a.t, a.s, a.d,
        c.fused * 1e6, c.composed * 1e6, c.ratio());
  }
}

}  // namespace heed
