// Against the bytes that the tensorboard package writes (tests/fixtures/events.json).
#include "heed/train/event_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "tests/base/scratch_directory.h"

namespace heed::event_file_test {
namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(Crc32c, IsThatOfTheStandard) {  // RFC 3720, B.4
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(EventFile, IsByteForByteTensorBoards) {
  const Json json =
      parse_json(read_file(HEED_SOURCE_DIR "/tests/fixtures/events.json"), "events.json");
  const JsonReader fixture(json, "events.json");
  const ScratchDirectory scratch;
  EventFile events(scratch.path(), 300, [] { return 1700000000.25; });
  EXPECT_TRUE(list_directory(scratch.path()).empty());  // no file before there is an event
  events.add(400, {{"train/loss", 2.625},
                   {"lost", std::numeric_limits<double>::quiet_NaN()},
                   {"train/learning_rate", 1e-3}});
  events.add_png(70000, "sample/1", from_hex(fixture.at("png").text()));
  EXPECT_EQ(events.trouble(), "");
  const auto files = list_directory(scratch.path());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files.front().starts_with("events.out.tfevents.1700000000.")) << files.front();
  EXPECT_EQ(read_file(scratch / files.front()), from_hex(fixture.at("bytes").text()));
}

TEST(EventFile, WaitsUntilItCanBeOpened) {
  const ScratchDirectory scratch;
  EventFile events(scratch / "gone", 0);
  events.add(1, {{"loss", 1.0}});
  EXPECT_NE(events.trouble().find("cannot open it (No such file or directory)"), std::string::npos);
  make_directory(scratch / "gone");
  events.add(2, {{"loss", 0.5}});
  EXPECT_EQ(events.trouble(), "");
  const auto files = list_directory(scratch / "gone");
  ASSERT_EQ(files.size(), 1U);
  EventFile whole(scratch.path(), 0, [] { return 1.0; });
  whole.add(1, {{"loss", 1.0}});
  whole.add(2, {{"loss", 0.5}});
  EXPECT_EQ(read_file(scratch / "gone/" + files.front()).size(),
            read_file(scratch / list_directory(scratch.path()).front()).size());
}

TEST(EventFile, TakesNoPictureButAPng) {
  const ScratchDirectory scratch;
  EventFile events(scratch.path(), 0);
  EXPECT_THROW(events.add_png(1, "x", "short"), Error);
}

}  // namespace
}  // namespace heed::event_file_test
