#include "heed/base/line_reader.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"

namespace heed::line_reader_test {
namespace {

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string gzip(const std::string& bytes) {
  const ScratchDirectory scratch;
  const gzFile file = gzopen((scratch / "z").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  std::ifstream in(scratch / "z", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), static_cast<std::int64_t>(lines.size()));
  }
  EXPECT_FALSE(reader.next(line));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, GivesTheSameLinesPlainAndCompressed) {
  const ScratchDirectory scratch;
  const std::vector<std::pair<std::string, Lines>> cases{
      {"", {}},
      {"\n", {""}},
      {"a", {"a"}},
      {"a\nb\n", {"a", "b"}},
      {"a\r\nb\r\n\r\nc", {"a", "b", "", "c"}},
      {"a\rb\n", {"a\rb"}},
      {"\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n", {"x", "\xEF\xBB\xBFy"}},
      {std::string("nul\0l\n", 6), {std::string("nul\0l", 5)}},
  };
  for (const auto& [bytes, lines] : cases) {
    put(scratch / "plain", bytes);
    EXPECT_EQ(lines_of(scratch / "plain"), lines);
    put(scratch / "zipped", gzip(bytes));
    EXPECT_EQ(lines_of(scratch / "zipped"), lines);
  }
}

TEST(LineReader, LinesLongerThanItsWindowsAndManyOfThem) {
  const ScratchDirectory scratch;
  Lines lines;
  std::string bytes;
  for (int i = 0; i < 2000; ++i) {
    lines.push_back(std::string(i * 37 % 1000, static_cast<char>('a' + i % 26)));
  }
  lines.push_back(std::string(300000, 'z'));
  lines.emplace_back("end");
  for (const std::string& line : lines) {
    bytes += line + "\n";
  }
  put(scratch / "plain", bytes);
  EXPECT_EQ(lines_of(scratch / "plain"), lines);
  put(scratch / "zipped", gzip(bytes));
  EXPECT_EQ(lines_of(scratch / "zipped"), lines);
}

TEST(LineReader, ReadsGzipFilesJoinedTogether) {
  const ScratchDirectory scratch;
  put(scratch / "two", gzip("a\nb") + gzip("c\nd\n"));
  EXPECT_EQ(lines_of(scratch / "two"), (Lines{"a", "bc", "d"}));
}

std::string fault_of(const std::string& path) {
  try {
    lines_of(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "no error";
}

TEST(LineReader, SaysWhenGzipDataIsDamaged) {
  const ScratchDirectory scratch;
  const std::string whole = gzip(std::string(5000, 'q') + "\n" + "some more text to compress\n");
  for (std::size_t length = 2; length < whole.size(); ++length) {
    put(scratch / "cut", whole.substr(0, length));
    ASSERT_NE(fault_of(scratch / "cut").find("ends too early"), std::string::npos) << length;
  }
  std::string changed = whole;
  changed[whole.size() - 6] ^= 1;  // the checksum
  put(scratch / "changed", changed);
  EXPECT_NE(fault_of(scratch / "changed").find("changed:1: the gzip data "), std::string::npos);
  EXPECT_NE(fault_of(scratch / "none").find("No such file"), std::string::npos);
}

TEST(LineReader, RefusesALineWithoutEnd) {
  const ScratchDirectory scratch;
  put(scratch / "a", "short\n" + std::string(101, 'x') + "\n");
  LineReader reader(scratch / "a", 100);
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(reader.where(), scratch / "a:1");
  try {
    reader.next(line);
    FAIL() << "a line of 101 bytes went through";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              scratch / "a" + ":2: the line is longer than 100 bytes; is it text?");
  }
}

TEST(LineReader, GoesOnBehindALineThatIsTooLong) {
  const ScratchDirectory scratch;
  const std::string text = std::string(300000, 'x') + "\nb\n" + std::string(101, 'y') + "\n" +
                           std::string(100, 'z') + "\n" + std::string(70000, 'w');
  for (const bool is_compressed : {false, true}) {
    put(scratch / "a", is_compressed ? gzip(text) : text);
    LineReader reader(scratch / "a", 100);
    std::string line;
    EXPECT_EQ(reader.find(line), LineFound::too_long);
    EXPECT_LE(line.size(), 100U);
    EXPECT_EQ(reader.where(), scratch / "a:1");
    EXPECT_EQ(reader.find(line), LineFound::line);
    EXPECT_EQ(line, "b");
    EXPECT_EQ(reader.find(line), LineFound::too_long);
    EXPECT_EQ(reader.find(line), LineFound::line);
    EXPECT_EQ(line, std::string(100, 'z'));
    EXPECT_EQ(reader.find(line), LineFound::too_long);
    EXPECT_EQ(reader.line_number(), 5);
    EXPECT_EQ(reader.find(line), LineFound::none);
    EXPECT_EQ(reader.find(line), LineFound::none);
  }
}

TEST(LineReader, GivesUpOnALineWithoutAnEnd) {
  LineReader reader("/dev/zero", 100);
  std::string line;
  EXPECT_EQ(reader.find(line), LineFound::too_long);
  EXPECT_THROW(reader.find(line), Error);
}

TEST(LineReader, ReadsStandardInputByteByByte) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int kept = dup(STDIN_FILENO);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  const pid_t writer = fork();
  if (writer == 0) {
    for (const char letter : gzip("one\ntwo\n")) {
      (void)!::write(ends[1], &letter, 1);
    }
    _exit(0);
  }
  close(ends[1]);
  EXPECT_EQ(lines_of("-"), (Lines{"one", "two"}));
  waitpid(writer, nullptr, 0);
  dup2(kept, STDIN_FILENO);
  close(ends[0]);
  close(kept);
}

}  // namespace
}  // namespace heed::line_reader_test
