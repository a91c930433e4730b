// A search that lives: sentences come before those before them are done, and are taken. Its memory is
// what the C library counts, which a sanitizer's does not.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <set>

#include "heed/search/search.h"
#include "tests/search/told_decoder.h"

namespace heed::test::long_search_slow_test {
namespace {

TEST(Admission, OfAHundredThousandSentencesKeepsMemoryFlat) {
  constexpr int64_t together = 50;
  constexpr int64_t sentences = 100'000;
  const ToldDecoder decoder(5, 5);
  AnyWord options;
  options.max_length = 3;
  options.weights = true;
  const Scorer member = decoder.member(together);
  const Scorer decoders[] = {{&decoder}};
  Search run(decoders, ToldDecoder::place(), options);
  std::set<int64_t> here;
  size_t most_here = 0;
  size_t early = 0;  // bytes in use
  while (!run.is_done() || run.sentences() < sentences) {
    if (run.sentences() < sentences) {
      const int64_t first = run.admit({&member.memory, 1});
      for (int64_t s = first; s < first + together; ++s) {
        here.insert(here.end(), s);
      }
    }
    run.step();
    std::erase_if(here, [&run](int64_t s) { return run.is_done(s) && !run.take(s).empty(); });
    most_here = std::max(most_here, here.size());
    if (early == 0 && run.sentences() >= sentences / 10) {
      early = mallinfo2().uordblks;
    }
  }
  EXPECT_TRUE(here.empty());
  EXPECT_GT(most_here, static_cast<size_t>(together)) << "some came before the others were done";
  EXPECT_LT(mallinfo2().uordblks, early + 100'000) << "not a byte for each sentence";
}

}  // namespace
}  // namespace heed::test::long_search_slow_test
