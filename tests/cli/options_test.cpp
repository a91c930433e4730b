#include "heed/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::options_test {
namespace {

using ::testing::ElementsAre;

/// A verb with an option of every kind.
struct Verb {
  Verb() {
    options.flag("-q,--quiet", is_quiet, "");
    options.flag("-j,--json", is_json, "");
    beam = &options.add("-b,--beam", width, "").check(whole(1, 9)).with_default();
    options.add("--alpha", alpha, "").with_default();
    options.add("--seed", seed, "");
    options.add("--head", head, "").check(whole(-1, 9));
    options.add("--tag", tags, "");
    options.add("--metric", metrics, "").split_at(',').check(one_of({"bleu", "ter"}));
    options.add("recipe", recipe, "").required();
    options.add("rest", rest, "");
  }

  std::string fault_of(const std::vector<std::string>& words) {
    try {
      options.read("try", words);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return error.what();
    }
    return "none";
  }

  Options options;
  const Option* beam = nullptr;
  bool is_quiet = false;
  bool is_json = false;
  int64_t width = 4;
  double alpha = 0.6;
  uint64_t seed = 1;
  int head = 0;
  std::vector<std::string> tags;
  std::vector<std::string> metrics;
  std::string recipe;
  std::vector<std::string> rest;
};

TEST(Options, ReadEverySpelling) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-b", "7", "r"},
                                                {"-b7", "r"},
                                                {"-b=7", "r"},
                                                {"--beam", "7", "r"},
                                                {"r", "--beam=7"},
                                                {"-qb7", "r"}}) {
    Verb verb;
    EXPECT_EQ(verb.fault_of(words), "none");
    EXPECT_EQ(verb.width, 7);
    EXPECT_EQ(verb.recipe, "r");
    EXPECT_TRUE(verb.beam->is_given());
  }
}

TEST(Options, KeepWhatIsNotGiven) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"r"}), "none");
  EXPECT_EQ(verb.width, 4);
  EXPECT_FALSE(verb.beam->is_given());
  EXPECT_EQ(verb.beam->fallback(), "4");
  EXPECT_FALSE(verb.is_quiet);
}

TEST(Options, TakeFlagsInARow) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"-qj", "r"}), "none");
  EXPECT_TRUE(verb.is_quiet && verb.is_json);
}

TEST(Options, TellNegativeNumbersAndADashFromOptions) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"--head", "-1", "-"}), "none");
  EXPECT_EQ(verb.head, -1);
  EXPECT_EQ(verb.recipe, "-");
}

TEST(Options, EndAtTwoDashes) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"--", "--quiet", "-x"}), "none");
  EXPECT_EQ(verb.recipe, "--quiet");
  EXPECT_THAT(verb.rest, ElementsAre("-x"));
}

TEST(Options, GatherLists) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"--tag", "a", "r", "s", "--tag=b=c", "t", "--metric", "bleu,ter"}),
            "none");
  EXPECT_THAT(verb.tags, ElementsAre("a", "b=c"));
  EXPECT_THAT(verb.rest, ElementsAre("s", "t"));
  EXPECT_THAT(verb.metrics, ElementsAre("bleu", "ter"));
}

TEST(Options, ReadNumbers) {
  Verb verb;
  EXPECT_EQ(verb.fault_of({"r", "--alpha", "1e-3", "--seed", "18446744073709551615"}), "none");
  EXPECT_EQ(verb.alpha, 1e-3);
  EXPECT_EQ(verb.seed, 18446744073709551615U);
}

TEST(Options, SayWhatIsWrong) {
  const auto fault = [](const std::vector<std::string>& words) { return Verb().fault_of(words); };
  EXPECT_EQ(fault({}), "try: the recipe is missing; see heed try --help");
  EXPECT_EQ(fault({"r", "--baem", "3"}), "try: unknown option --baem; did you mean \"--beam\"?");
  EXPECT_EQ(fault({"r", "-z"}), "try: unknown option -z; see heed try --help");
  EXPECT_EQ(fault({"r", "-qz"}), "try: unknown option -z; see heed try --help");
  EXPECT_EQ(fault({"r", "--beam"}), "try: --beam needs a value behind it; see heed try --help");
  EXPECT_EQ(fault({"r", "-b", "--quiet"}), "try: -b needs a value behind it; see heed try --help");
  EXPECT_EQ(fault({"r", "--quiet=1"}), "try: --quiet takes no value; leave out =1");
  EXPECT_EQ(fault({"r", "-b1", "-b2"}), "try: -b is given more than once; give it once");
  EXPECT_EQ(fault({"r", "-b", "12"}), "try: -b: must be a whole number from 1 to 9, not \"12\"");
  EXPECT_EQ(fault({"r", "--seed", "-3"}), "try: --seed: must be a whole number, not \"-3\"");
  EXPECT_EQ(fault({"r", "--alpha", "x"}), "try: --alpha: must be a number, not \"x\"");
  EXPECT_EQ(fault({"r", "--metric", "bleu,tre"}),
            "try: --metric: unknown \"tre\"; choose one of bleu, ter; did you mean \"ter\"?");
}

TEST(Options, RefuseWordsBeyondTheirPlaces) {
  std::string one;
  Options options;
  options.add("one", one, "");
  try {
    options.read("", std::vector<std::string>{"a", "b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "\"b\" is one word too many; put quotes around a text with blanks, or see heed "
                 "--help");
  }
}

}  // namespace
}  // namespace heed::options_test
