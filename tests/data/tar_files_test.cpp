#include "heed/data/tar_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"
#include "tests/data/made_tar.h"

namespace heed::tar_files_test {
namespace {

using test::tar_end;
using test::tar_entry;
using ::testing::HasSubstr;

constexpr std::uint64_t plenty = 1 << 20;

std::string refusal_of(const std::string& path, const std::string& name,
                       std::uint64_t most_bytes = plenty) {
  try {
    TarFile(path).read(name, most_bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "";
}

TEST(TarFile, ReadsFilesByName) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tar";
  const std::string big(1500, 'b');
  write_atomically(path, tar_entry("images/", "", '5') + tar_entry("images/one.jpg", "first") +
                             tar_entry("./two.jpg", big) + tar_entry("empty", "") +
                             tar_entry("name", "in a folder", '0', "long/prefix") +
                             tar_entry("link", "", '2') + tar_entry("images/one.jpg", "again") +
                             tar_end() + "whatever follows the end");
  const TarFile tar(path);
  EXPECT_EQ(tar.size(), 4U);
  EXPECT_EQ(tar.read("images/one.jpg", plenty), "again") << "of two, the last";
  EXPECT_EQ(tar.read("two.jpg", plenty), big);
  EXPECT_EQ(tar.read("./two.jpg", plenty), big);
  EXPECT_EQ(tar.read("empty", plenty), "");
  EXPECT_EQ(tar.read("long/prefix/name", plenty), "in a folder");
  EXPECT_THAT(refusal_of(path, "link"),
              HasSubstr("a.tar: there is no file link among its 4 files; list them with tar -tf"));
  EXPECT_THAT(refusal_of(path, "two.jpg", 1499),
              HasSubstr("a.tar#two.jpg: 1500 bytes are more than the 1499"));
}

TEST(TarFile, KnowsLongNames) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tar";
  const std::string name = std::string(150, 'd') + "/" + std::string(120, 'n') + ".jpg";
  const std::string value = "path=" + name + "\n";
  write_atomically(
      path, tar_entry("pax_global_header", "20 comment=whatever\n", 'g') +
                tar_entry("PaxHeaders/x", "285 " + value, 'x') + tar_entry("short", "by pax") +
                tar_entry("././@LongLink", name + "2" + '\0', 'L') + tar_entry("short", "by GNU") +
                tar_entry("short", "its own") + tar_entry("PaxHeaders/x", "10 size=4\n", 'x') +
                tar_entry("sized", "four") + tar_end());
  ASSERT_EQ(value.size() + 4, 285U);
  const TarFile tar(path);
  EXPECT_EQ(tar.read(name, plenty), "by pax");
  EXPECT_EQ(tar.read(name + "2", plenty), "by GNU");
  EXPECT_EQ(tar.read("short", plenty), "its own");
  EXPECT_EQ(tar.read("sized", plenty), "four");
}

/// What the system's tar writes, in its three formats.
TEST(TarFile, ReadsWhatTarWrites) {
  if (std::system("tar --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no tar";
  }
  const ScratchDirectory scratch;
  const std::string name = std::string(80, 'a') + "/" + std::string(90, 'b') + ".txt";
  ASSERT_EQ(std::system(("mkdir " + scratch.path() + "/" + std::string(80, 'a')).c_str()), 0);
  write_atomically(scratch / name, "content");
  for (const std::string format : {"ustar", "pax", "gnu"}) {
    const std::string path = scratch / (format + ".tar");
    const std::string command =
        "cd " + scratch.path() + " && tar --format=" + format + " -cf " + path + " ./" + name;
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(TarFile(path).read(name, plenty), "content") << format;
  }
}

TEST(TarFile, RefusesWhatIsDamaged) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tar";
  const std::string good = tar_entry("one", "first") + tar_entry("two", "second") + tar_end();
  const auto refusal = [&](const std::string& bytes) {
    write_atomically(path, bytes);
    return refusal_of(path, "one");
  };
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(
      refusal("\x1F\x8B" + std::string(600, 'z')),
      HasSubstr(
          "a.tar: there is a header with a wrong checksum at byte 0; give a whole tar archive "
          "that is not compressed"));
  EXPECT_THAT(refusal(good.substr(0, 1300)), HasSubstr("the middle of a header as its end"));
  std::string changed = good;
  changed[1024] = 'T';
  EXPECT_THAT(refusal(changed), HasSubstr("wrong checksum at byte 1024"));
  EXPECT_THAT(refusal(tar_entry("one", std::string(2000, 'x')).substr(0, 1500)),
              HasSubstr("larger than the archive"));
  for (const std::string bad : {"x", "99 path=a\n", "10 path=ab", "3 a", "0 path=a\n",
                                "99999999999999999999 a=b\n", "12 size=4x4\n"}) {
    EXPECT_THAT(refusal(tar_entry("x", bad, 'x') + good), HasSubstr("extended header")) << bad;
  }
  EXPECT_THAT(refusal(""),
              HasSubstr("there is no file one among its 0 files; list them with tar -tf"));
  EXPECT_THROW(TarFile(scratch / "none.tar"), Error);
  EXPECT_THROW(TarFile(scratch.path()), Error);
}

/// Sizes above eight gigabytes are binary; none of them is believed beyond the archive's end.
TEST(TarFile, ChecksLargeSizes) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.tar";
  for (const int top : {0, 1, 0x7F, 0xFF}) {
    std::string entry = tar_entry("one", "first");
    entry.replace(124, 12, 12, static_cast<char>(top));
    entry[124] = static_cast<char>(0x80);
    if (top == 0) {
      entry[135] = 5;
    }
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 512; ++i) {
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(entry[i]);
    }
    entry.replace(148, 7, test::octal(sum, 6) + '\0');
    write_atomically(path, entry + tar_end());
    EXPECT_THAT(refusal_of(path, "one"), HasSubstr(top == 0 ? "" : "larger than the archive"));
    EXPECT_EQ(refusal_of(path, "one").empty(), top == 0);
  }
}

TEST(TarFiles, OpensEachArchiveOnce) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "a.tar", tar_entry("x", "a's") + tar_end());
  write_atomically(scratch / "b.tar", tar_entry("x", "b's") + tar_end());
  TarFiles tars;
  EXPECT_EQ(tars.read(scratch / "a.tar", "x", plenty), "a's");
  EXPECT_EQ(tars.read(scratch / "b.tar", "x", plenty), "b's");
  write_atomically(scratch / "a.tar", "something else");
  EXPECT_EQ(tars.read(scratch / "a.tar", "x", plenty), "a's") << "it stays open";
}

}  // namespace
}  // namespace heed::tar_files_test
