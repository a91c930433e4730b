#include <gtest/gtest.h>

#include "heed/cli/setting_options.h"

namespace heed::setting_names_test {
namespace {

TEST(SettingNames, BecomeThoseOfOptions) {
  Options options;
  std::string beam;
  options.add("-b,--beam", beam, "");
  options.add("--max-source", beam, "");
  EXPECT_EQ(naming_options("lower `max_source`, or `beam` 5", options),
            "lower --max-source, or --beam 5");
  EXPECT_EQ(naming_options("`synth` and `beam", options), "`synth` and `beam");
  EXPECT_EQ(naming_options("a ` and `beam`", options), "a ` and --beam");
  EXPECT_EQ(naming_options("", options), "");
}

}  // namespace
}  // namespace heed::setting_names_test
