#include "heed/data/number_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "tests/base/scratch_directory.h"

namespace heed::number_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string raw(const std::vector<float>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <class Act>
std::string fault_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "nothing failed";
}

void write_gzip(const std::string& path, const std::string& bytes, int times = 1) {
  const gzFile file = gzopen(path.c_str(), "wb");
  for (int i = 0; i < times; ++i) {
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  }
  gzclose(file);
}

TEST(NumberFiles, AFileThatGrowsAThousandfoldIsRefused) {
  const ScratchDirectory scratch;
  write_gzip(scratch / "bomb.f32.gz", std::string(1 << 20, '\0'), 48);
  write_gzip(scratch / "bomb.npy", std::string(1 << 20, '\0'), 48);
  NumberFiles files;
  EXPECT_THAT(fault_of([&] {
                files.read({scratch / "bomb.f32.gz", 0, 10}, 1);
              }),
              HasSubstr("decompressed it has more than"));
  EXPECT_THAT(fault_of([&] { read_npy(scratch / "bomb.npy", 1); }),
              HasSubstr("decompressed it has more than"));
  write_gzip(scratch / "zeros.f32.gz", std::string(1 << 20, '\0'), 8);
  EXPECT_EQ(files.read({scratch / "zeros.f32.gz", 0, 10}, 1).size(), 10U)
      << "a small one may be zeros";
}

TEST(NumberFiles, OnlyTheLastFilesAreKept) {
  const ScratchDirectory scratch;
  const std::string first = scratch / "a.gz";
  write_gzip(first, raw({1, 2, 3, 4}));
  write_gzip(scratch / "b.gz", raw({5, 6, 7, 8}));
  NumberFiles files(24);
  EXPECT_THAT(files.read({first, 0, 1}, 2), ElementsAre(1, 2));
  write_gzip(first, raw({9, 9, 9, 9}));
  EXPECT_THAT(files.read({first, 0, 1}, 2), ElementsAre(1, 2)) << "it is kept";
  EXPECT_THAT(files.read({scratch / "b.gz", 0, 1}, 2), ElementsAre(5, 6));
  EXPECT_THAT(files.read({first, 0, 1}, 2), ElementsAre(9, 9)) << "there was no room for both";
}

TEST(NumberFiles, ReadRangesPlainAndCompressed) {
  const ScratchDirectory scratch;
  const std::string bytes = raw({1, 2, 3, 4, 5, 6, 7, 8});
  write_atomically(scratch / "a.f32", bytes);
  const gzFile file = gzopen((scratch / "a.f32.gz").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  NumberFiles files;
  for (const char* name : {"a.f32", "a.f32.gz"}) {
    EXPECT_THAT(files.read({scratch / name, 1, 2}, 2), ElementsAre(3, 4, 5, 6));
    EXPECT_TRUE(files.read({scratch / name, 4, 0}, 2).empty());
    EXPECT_THAT(fault_of([&] {
                  files.read({scratch / name, 3, 2}, 2);
                }),
                HasSubstr("there are only 4"));
    EXPECT_THAT(fault_of([&] {
                  files.read({scratch / name, 0, 1}, 3);
                }),
                HasSubstr("whole rows of 3"));
  }
  EXPECT_THAT(fault_of([&] {
                files.read({scratch / "absent.f32", 0, 1}, 3);
              }),
              HasSubstr("absent.f32"));
}

/// As NumPy's own documentation lays a file out.
std::string npy(const std::string& header, const std::string& data) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) {
    padded += ' ';
  }
  padded += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(padded.size() & 0xFF);
  bytes += static_cast<char>(padded.size() >> 8);
  return bytes + padded + data;
}

TEST(Npy, IsAMatrixOfFloats) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "m.npy";
  write_atomically(path, npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                             raw({1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(read_npy(path, 3), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(fault_of([&] { read_npy(path, 2); }), HasSubstr("2 rows of 3 numbers"));
  const std::vector<double> doubles = {0.5, -2};
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), doubles.data(), bytes.size());
  write_atomically(path, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", bytes));
  EXPECT_THAT(read_npy(path, 1), ElementsAre(0.5F, -2));
  write_atomically(path,
                   npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1), }", "abcd"));
  EXPECT_THAT(fault_of([&] { read_npy(path, 1); }), HasSubstr("'<i4'"));
  write_atomically(path, npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd"));
  EXPECT_THAT(fault_of([&] { read_npy(path, 1); }), HasSubstr("row by row"));
  write_atomically(path,
                   npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "abcd"));
  EXPECT_NE(fault_of([&] { read_npy(path, 1); }), "nothing failed");
  write_atomically(path, "\x93NUMPY");
  EXPECT_NE(fault_of([&] { read_npy(path, 1); }), "nothing failed");
}

TEST(Npy, IsReadOrRefusedWhateverItHolds) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "m.npy";
  const std::string whole =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", raw({1, 2, 3, 4, 5, 6}));
  const Draws draws({.seed = 1});
  int refused = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string bytes = whole;
    bytes[draws.below(2 * i, bytes.size() - 24)] = static_cast<char>(draws.below(2 * i + 1, 256));
    write_atomically(path, i % 3 == 0 ? bytes.substr(0, draws.below(i, bytes.size())) : bytes);
    try {
      EXPECT_EQ(read_npy(path, 3).size(), 6U);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  for (const char* header : {"{'descr':", "{'shape':",
                             "{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (4611686018427387904, 8)"}) {
    write_atomically(path, npy(header, ""));
    EXPECT_NE(fault_of([&] { read_npy(path, 3); }), "nothing failed");
  }
}

TEST(ParseRows, DividesByBlanksAndSemicolons) {
  EXPECT_THAT(parse_rows("1 2.5;-3,4e1", 2), ElementsAre(1, 2.5F, -3, 40));
  EXPECT_TRUE(parse_rows("", 2).empty());
  EXPECT_THAT(fault_of([] { parse_rows("1 2; 3", 2); }),
              HasSubstr("a row has 1 numbers, but must have 2"));
  EXPECT_THAT(fault_of([] { parse_rows("one two", 2); }), HasSubstr("\"one two\""));
}

}  // namespace
}  // namespace heed::number_files_test
