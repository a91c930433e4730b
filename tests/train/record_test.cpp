#include "heed/train/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"

namespace heed::record_test {
namespace {

using test::FullDisk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json line_of(int64_t step) {
  Json line = Json::object();
  line.set("step", step);
  line.set("loss", 0.5);
  return line;
}

TEST(GrowingFile, KeepsWhatDoesNotFit) {
  const ScratchDirectory scratch;
  GrowingFile file(scratch / "log");
  file.add("first\n");
  {
    const FullDisk full(9);
    file.add("second\n");
    EXPECT_THAT(file.trouble(), HasSubstr("log: cannot add 4 bytes"));
    file.add("third\n");
    EXPECT_EQ(read_file(scratch / "log"), "first\nsec");
  }
  file.add("fourth\n");
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(read_file(scratch / "log"), "first\nsecond\nthird\nfourth\n");
  EXPECT_THROW(GrowingFile(scratch / "no/such/folder"), Error);
}

TEST(Record, ShowsSamples) {
  const ScratchDirectory scratch;
  const RunFolder folder(scratch / "run");
  Record record(folder, 0);
  const std::vector<std::string> sources = {"a b", "c"};
  const std::vector<References> references = {{"b a"}, {"c", "d"}};
  const std::vector<Sample> samples = {{"b", "<svg/>", ""}, {"c", "", ""}};
  record.add_samples(7, sources, references, samples);
  EXPECT_THAT(list_directory(folder.samples()),
              ElementsAre("step-00000007.1.svg", "step-00000007.txt"));
  EXPECT_EQ(read_file(folder.samples() + "/step-00000007.1.svg"), "<svg/>");
  EXPECT_EQ(read_file(folder.samples() + "/step-00000007.txt"),
            "source     a b\nreference  b a\noutput     b\n\n"
            "source     c\nreference  c\nreference  d\noutput     c\n");
}

TEST(Record, OutlivesAFullDisk) {
  const ScratchDirectory scratch;
  const RunFolder folder(scratch / "run");
  Record record(folder, 0);
  record.add(line_of(1), {{"loss", 0.5}});
  EXPECT_EQ(record.new_trouble(), "");
  const std::vector<std::string> sources = {"a"};
  const std::vector<References> references = {{"a"}};
  const std::vector<Sample> samples = {{"a", std::string(2000, 'x'), ""}};
  {
    const FullDisk full(20);
    record.add(line_of(2), {{"loss", 0.5}});
    EXPECT_THAT(record.new_trouble(), HasSubstr("metrics.jsonl: cannot add"));
    record.add(line_of(3), {{"loss", 0.5}});
    record.add_samples(3, sources, references, samples);
    EXPECT_EQ(record.new_trouble(), "");  // said once
    EXPECT_THROW(record.close(), Error);
  }
  record.add(line_of(4), {{"loss", 0.5}});
  record.add_samples(4, sources, references, samples);
  EXPECT_EQ(record.new_trouble(), "");
  record.close();
  std::string expected;
  for (const int64_t step : {1, 2, 3, 4}) {
    expected += line_of(step).write() + "\n";
  }
  EXPECT_EQ(read_file(folder.metrics()), expected);
  EXPECT_THAT(list_directory(folder.samples()),
              ElementsAre("step-00000003.1.svg", "step-00000003.txt", "step-00000004.1.svg",
                          "step-00000004.txt"));
}

}  // namespace
}  // namespace heed::record_test
