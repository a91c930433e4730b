#include "heed/model/file/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/sha256.h"
#include "tests/base/scratch_directory.h"

namespace heed::safetensors_test {
namespace {

using ::testing::HasSubstr;

SafetensorsFile small_file() {
  SafetensorsFile file;
  file.metadata = {{"format", "heed 1"}, {"note", "naïve \"quotes\" \\ and 文字\n"}};
  file.tensors.push_back({"encoder.weight", DType::f32, {2, 3}, std::string(24, '\1')});
  file.tensors.push_back({"nothing", DType::f32, {0, 5}, ""});
  file.tensors.push_back({"scalar", DType::f64, {}, std::string(8, '\2')});
  file.tensors.push_back({"ids", DType::i32, {2}, std::string("\0\1\2\3\4\5\6\7", 8)});
  file.tensors.push_back({"rounded", DType::bf16, {3}, std::string("\0\1\2\3\4\5", 6)});
  file.tensors.push_back({"half", DType::f16, {1, 2}, std::string("\0\1\2\3", 4)});
  file.tensors.push_back({"vocabulary.source", DType::u8, {5}, "a\nb\0c"});
  file.tensors.back().bytes = std::string("a\nb\0c", 5);
  return file;
}

void expect_equal(const SafetensorsFile& a, const SafetensorsFile& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(a.tensors[i].type, b.tensors[i].type);
    EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
    EXPECT_EQ(a.tensors[i].bytes.text(), b.tensors[i].bytes.text());
  }
}

/// The message, which must be of Fault::file; empty where it loaded.
std::string refusal(const std::string& bytes) {
  try {
    parse_safetensors(bytes, "m.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("m.safetensors"));
    return error.what();
  }
  return "";
}

/// A file of this header and data with a right hash put where the header says @.
std::string sealed(std::string header, const std::string& data) {
  const std::string zeros(64, '0');
  const size_t at = header.find('@');
  if (at != std::string::npos) {
    header.replace(at, 1, zeros);
  }
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  bytes += header + data;
  if (at != std::string::npos) {
    bytes.replace(8 + at, 64, sha256_hex(bytes));
  }
  return bytes;
}

constexpr const char* meta = R"("__metadata__":{"sha256":"@"})";

std::string with_tensors(const std::string& tensors, const std::string& data) {
  return sealed("{" + std::string(meta) + tensors + "}", data);
}

TEST(Safetensors, MetadataIsReadWithoutTheTensors) {
  const ScratchDirectory scratch;
  SafetensorsFile file;
  file.metadata = {{"config", "{}"}, {"about.task", "test"}};
  file.tensors.push_back({"x", DType::u8, {4}, "abcd"});
  const std::string path = scratch / "m.safetensors";
  write_safetensors(path, file);
  EXPECT_EQ(read_safetensors_metadata(path), file.metadata);
  std::string bytes = read_file(path);
  write_atomically(path, bytes.substr(0, bytes.size() - 2));
  EXPECT_EQ(read_safetensors_metadata(path), file.metadata) << "the tensors were not looked at";
  for (const size_t size : {size_t{0}, size_t{7}, size_t{30}}) {
    write_atomically(path, bytes.substr(0, size));
    EXPECT_THROW(read_safetensors_metadata(path), Error) << size;
  }
}

TEST(Safetensors, ReadsWhatItWrote) {
  const SafetensorsFile file = small_file();
  const std::string bytes = format_safetensors(file);
  expect_equal(parse_safetensors(bytes, "test"), file);
  EXPECT_EQ(format_safetensors(parse_safetensors(bytes, "test")), bytes);
  EXPECT_EQ((8 + static_cast<size_t>(static_cast<unsigned char>(bytes[0])) +
             256 * static_cast<size_t>(static_cast<unsigned char>(bytes[1]))) %
                8,
            0U);
  expect_equal(parse_safetensors(format_safetensors({}), "test"), {});
}

TEST(Safetensors, ThroughAFileAsThroughMemory) {
  const ScratchDirectory scratch;
  write_safetensors(scratch / "m.safetensors", small_file());
  EXPECT_EQ(read_file(scratch / "m.safetensors"), format_safetensors(small_file()));
  expect_equal(read_safetensors(scratch / "m.safetensors"), small_file());
  EXPECT_THROW(read_safetensors(scratch / "missing"), Error);
}

/// Bytes without a place, which remember the most that was asked for at once.
class ManyBytes : public ByteSource {
 public:
  explicit ManyBytes(std::size_t& most) : most_(most) {}
  std::uint64_t size() const override { return std::uint64_t{3} << 20; }
  void read(std::uint64_t from, char* to, std::size_t count) const override {
    most_ = std::max(most_, count);
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = static_cast<char>((from + i) % 251);
    }
  }

 private:
  std::size_t& most_;
};

SafetensorsFile large_file(std::size_t& most) {
  auto many = std::make_shared<const ManyBytes>(most);
  const std::size_t size = many->size();
  SafetensorsFile file = small_file();
  file.tensors.push_back(
      {"many", DType::u8, {static_cast<int64_t>(size)}, FileBytes(std::move(many), 0, size)});
  return file;
}

TEST(Safetensors, ALargeFileIsWrittenInPieces) {
  const ScratchDirectory scratch;
  std::size_t most = 0;
  const SafetensorsFile file = large_file(most);
  write_safetensors(scratch / "m.safetensors", file);
  EXPECT_EQ(most, std::size_t{1} << 18);
  const std::string bytes = read_file(scratch / "m.safetensors");
  EXPECT_TRUE(bytes == format_safetensors(file));
  EXPECT_EQ(size_of_safetensors(file), bytes.size());
  EXPECT_TRUE(read_safetensors(scratch / "m.safetensors").find("many")->bytes ==
              file.find("many")->bytes);
}

TEST(Safetensors, AFileIsJudgedWhenItsHashIsAskedFor) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "m.safetensors";
  std::size_t most = 0;
  const SafetensorsFile file = large_file(most);
  write_safetensors(path, file);
  UncheckedFile whole = open_safetensors(path);
  expect_equal(whole.contents, file);
  EXPECT_NO_THROW(whole.hash.get());
  std::string bytes = read_file(path);
  bytes.back() ^= 1;
  write_atomically(path, bytes);
  UncheckedFile damaged = open_safetensors(path);
  EXPECT_EQ(damaged.contents.metadata, file.metadata);
  EXPECT_THROW(damaged.hash.get(), Error);
  EXPECT_THROW(read_safetensors(path), Error);
}

TEST(Safetensors, TheHashIsOfTheWholeFileWithItsDigitsZero) {
  const std::string bytes = format_safetensors(small_file());
  const size_t at = bytes.find("\"sha256\":\"") + 10;
  std::string zeroed = bytes;
  zeroed.replace(at, 64, std::string(64, '0'));
  EXPECT_EQ(bytes.substr(at, 64), sha256_hex(zeroed));
}

TEST(Safetensors, FindsATensorByName) {
  const SafetensorsFile file = small_file();
  EXPECT_EQ(file.find("ids"), &file.tensors[3]);
  EXPECT_EQ(file.find("id"), nullptr);
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string bytes = format_safetensors(small_file());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
  }
  EXPECT_NE(refusal(bytes + '\0'), "");
}

TEST(Safetensors, RefusesEveryChangedByte) {
  std::string bytes = format_safetensors(small_file());
  int changed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char right = bytes[i];
    for (const int wrong : {right ^ 1, right ^ 0x20, right ^ 0x80, right ^ 0xFF, 0}) {
      if (static_cast<char>(wrong) != right) {
        bytes[i] = static_cast<char>(wrong);
        EXPECT_NE(refusal(bytes), "") << "byte " << i << " to " << wrong;
        ++changed;
      }
    }
    bytes[i] = right;
  }
  EXPECT_EQ(refusal(bytes), "");
  EXPECT_GT(changed, 2000);
}

TEST(Safetensors, AcceptsAnyOrderOfTheHeader) {
  const std::string bytes = with_tensors(
      R"(,"b":{"shape":[1],"dtype":"U8","data_offsets":[2,3]},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})",
      "xyz");
  const SafetensorsFile file = parse_safetensors(bytes, "test");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].bytes.text(), "xy");
  EXPECT_EQ(file.tensors[1].bytes.text(), "z");
}

TEST(Safetensors, SaysWhatIsWrong) {
  struct Case {
    std::string bytes;
    std::string says;
  };
  const std::string u8 = R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  const std::vector<Case> cases = {
      {"", "0 bytes"},
      {std::string(8, '\xFF'), "this is not a model file"},
      {sealed("", ""), "begin with {"},
      {sealed("[]", ""), "begin with {"},
      {sealed("{", ""), "m.safetensors"},
      {sealed("{}", ""), "sha256 has 0 letters"},
      {sealed(R"({"__metadata__":{"sha256":"ab"}})", ""), "sha256 has 2 letters"},
      {sealed(R"({"__metadata__":{"sha256":")" + std::string(64, 'Z') + R"("}})", ""),
       "hexadecimal"},
      {sealed(R"({"__metadata__":{"sha256": "@"}})", ""), "as heed writes it"},
      {sealed(R"({"__metadata__":{"sha256":"@","n":3}})", ""), "__metadata__.n"},
      {sealed(R"({"__metadata__":[]})", ""), "__metadata__"},
      {with_tensors(R"(,"a\u0000b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})", "xy"),
       "name has a zero byte"},
      {with_tensors(u8, "x"),
       "it has 1 bytes of tensors, not the 2 of its header; the file was cut short or something "
       "was added"},
      {with_tensors(u8, "xyz"), "it has 3 bytes of tensors, not the 2"},
      {with_tensors(u8 + u8, "xy"), "a"},
      {with_tensors(R"(,"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]})", "xyxyxyxy"),
       "must be F32, F64, BF16, F16, I32 or U8"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]})", "xy"), "3 bytes"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]})", "xy"), "-2"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[2,0]})", "xy"), "apart"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]})", "xy"), "shape"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2,3]})", "xy"),
       "two offsets"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2],"x":1})", "xy"), "x"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2]})", "xy"), "data_offsets"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]})", "xy"),
       "begins at byte 1, not 0"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8",)"
                    R"("shape":[1],"data_offsets":[1,2]})",
                    "xy"),
       "begins at byte 1, not 2"},
      {with_tensors(R"(,"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]})", "x"),
       "8 axes"},
      {with_tensors(R"(,"a":{"dtype":"F64","shape":[4294967296,4294967296],)"
                    R"("data_offsets":[0,0]})",
                    ""),
       "2^48"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(refusal(c.bytes), HasSubstr(c.says));
  }
  EXPECT_EQ(refusal(with_tensors(u8, "xy")), "");
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead) {
  SafetensorsFile twice = small_file();
  twice.tensors.push_back(twice.tensors.front());
  EXPECT_THROW(format_safetensors(twice), Error);
  SafetensorsFile reserved = small_file();
  reserved.tensors.front().name = "__metadata__";
  EXPECT_THROW(format_safetensors(reserved), Error);
  SafetensorsFile short_of_bytes = small_file();
  short_of_bytes.tensors.front().bytes = std::string(23, '\1');
  EXPECT_THROW(format_safetensors(short_of_bytes), Error);
  SafetensorsFile hashed = small_file();
  hashed.metadata["sha256"] = "x";
  EXPECT_THROW(format_safetensors(hashed), Error);
  SafetensorsFile bad_text = small_file();
  bad_text.metadata["note"] = "\xFF";
  EXPECT_THROW(format_safetensors(bad_text), Error);
}

TEST(Safetensors, HeadersAreBoundedInBytesAndEntries) {
  std::string metadata = R"({"__metadata__":{"sha256":"@")";
  for (int i = 0; i < 5000; ++i) {
    metadata += fmt::format(R"(,"k{}":"")", i);
  }
  EXPECT_THAT(refusal(sealed(metadata + "}}", "")), HasSubstr("at most 4096 entries"));
  std::string axes = R"(,"a":{"dtype":"U8","data_offsets":[0,1],"shape":[1)";
  for (int i = 0; i < 300'000; ++i) {
    axes += ",1";
  }
  EXPECT_THAT(refusal(with_tensors(axes + "]}", "x")), HasSubstr("more than 262144 values"));
  EXPECT_THAT(
      refusal(sealed("{" + std::string(9'000'000, ' ') + "}", "")),
      HasSubstr("this is not a model file (no safetensors file has a header of 9000002 bytes)"));
  EXPECT_THAT(refusal(with_tensors(R"(,"a":{"b":{"c":{"d":{}}}})", "")), HasSubstr("levels"));
}

TEST(Safetensors, DoesNotWriteAHeaderThatItWouldNotRead) {
  SafetensorsFile file;
  file.metadata["about.text"] = std::string(9'000'000, 'x');
  EXPECT_THROW(format_safetensors(file), Error);
  file.metadata.clear();
  for (int i = 0; i < 5000; ++i) {
    file.metadata[std::to_string(i)] = "";
  }
  EXPECT_THROW(format_safetensors(file), Error);
}

/// Devices may have no end.
TEST(Safetensors, ADeviceIsRefusedByName) {
  EXPECT_THAT([] { read_safetensors("/dev/zero"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("this is a device, not a file; name")));
  EXPECT_THAT([] { read_safetensors_metadata("/dev/zero"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("this is a device, not a file; name")));
}

/// Writes into a pipe, as `heed translate -m <(…)` reads it.
class Pipe {
 public:
  explicit Pipe(std::string bytes) {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    writer_ = std::jthread([bytes = std::move(bytes), to = ends_[1]] {
      for (size_t done = 0; done < bytes.size();) {
        const ssize_t put = ::write(to, bytes.data() + done, bytes.size() - done);
        if (put <= 0) {
          break;
        }
        done += static_cast<size_t>(put);
      }
      ::close(to);
    });
  }
  ~Pipe() { ::close(ends_[0]); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  std::string path() const { return fmt::format("/dev/fd/{}", ends_[0]); }

 private:
  std::array<int, 2> ends_{};
  std::jthread writer_;
};

TEST(Safetensors, AreReadFromPipes) {
  const std::string bytes = format_safetensors(small_file());
  expect_equal(read_safetensors(Pipe(bytes).path()), small_file());
  EXPECT_THROW(read_safetensors(Pipe(bytes + "x").path()), Error);
  EXPECT_THROW(read_safetensors(Pipe(bytes.substr(0, bytes.size() - 1)).path()), Error);
}

/// Tensors are read when they are wanted; by then the file must still be what was checked.
TEST(Safetensors, AFileThatChangesWhileItIsReadIsRefused) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "m.safetensors";
  write_safetensors(path, small_file());
  const SafetensorsFile file = read_safetensors(path);
  EXPECT_EQ(file.tensors.back().bytes.text(), std::string("a\nb\0c", 5));
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  EXPECT_THAT([&] { file.tensors.back().bytes.text(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("changed while it was read")));
  // What replaces it under its name is another file.
  write_safetensors(path, small_file());
  const SafetensorsFile again = read_safetensors(path);
  write_safetensors(path, {});
  expect_equal(again, small_file());
}

}  // namespace
}  // namespace heed::safetensors_test
