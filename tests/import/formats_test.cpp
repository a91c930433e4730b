// Every format: what the toolkits wrote is read, and what is not as it should be is refused.
#include "heed/import/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/import/stored_zip.h"
#include "tests/import/bytes_of_zip.h"

namespace heed::test::formats_test {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

const std::string fixtures = HEED_SOURCE_DIR "/tests/fixtures/imported/";

WeightTable read(const std::string& bytes) {
  const auto source = bytes_in_memory(bytes);
  for (const auto& entry : formats()) {
    const auto format = entry.make();
    if (format->begins(bytes.substr(0, 16))) {
      return format->read(source, "file");
    }
  }
  fail(Fault::file, "no format");
}

std::string refusal(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    return error.what();
  }
  return "accepted";
}

std::vector<float> numbers(const FileTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.text().data(), tensor.bytes.size());
  return values;
}

/// A table with one tensor, w, as torch.save writes it.
std::string saved(const std::string& tensor, const std::string& storage) {
  const std::string table = "\x80\x02}" + pickled("w") + tensor + "s.";
  return made_zip({{"m/data.pkl", table}, {"m/byteorder", "little"}, {"m/data/0", storage}});
}

/// Three floats: 1, 2, 3.
const std::string three_floats =
    number_of(0x3F800000, 4) + number_of(0x40000000, 4) + number_of(0x40400000, 4);

TEST(Formats, EachReadsTheFixtureOfItsKind) {
  const std::map<std::string, std::string> files = {
      {"safetensors", "marian/model.safetensors"},
      {"torch_zip", "marian-zip/pytorch_model.bin"},
      {"torch_before_zip", "marian-before-zip/pytorch_model.bin"}};
  for (const auto& entry : formats()) {
    ASSERT_TRUE(files.count(entry.name)) << entry.name << " has no fixture; give it one";
    const std::string path = fixtures + files.at(entry.name);
    EXPECT_TRUE(entry.make()->begins(read_file(path).substr(0, 16))) << entry.name;
    const WeightTable table = read_weights(path);
    EXPECT_GT(table.tensors.size(), 60U) << entry.name;
    EXPECT_TRUE(table.others.empty()) << entry.name;
  }
}

TEST(Formats, EveryCutOfAFixtureIsRefused) {
  for (const char* name : {"marian/model.safetensors", "marian-zip/pytorch_model.bin",
                           "marian-before-zip/pytorch_model.bin"}) {
    const std::string whole = read_file(fixtures + name);
    for (std::size_t part = 0; part < 64; ++part) {
      EXPECT_NE(refusal(whole.substr(0, whole.size() * part / 64)), "accepted") << name << part;
    }
  }
}

TEST(Formats, ATorchTensorIsAPartOfItsStorage) {
  const WeightTable table = read(saved(pickled_tensor(3, "K\x01", "K\x02", "K\x01"), three_floats));
  ASSERT_EQ(table.tensors.size(), 1U);
  EXPECT_EQ(table.tensors[0].name, "w");
  EXPECT_EQ(table.tensors[0].shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(numbers(table.tensors[0]), (std::vector<float>{2, 3}));
  const WeightTable scalar = read(saved(pickled_tensor(3, "K\x02", "", ""), three_floats));
  EXPECT_EQ(numbers(scalar.tensors[0]), std::vector<float>{3});
  const WeightTable turned =
      read(saved(pickled_tensor(3, "K\x00"s, "K\x01K\x03", "K\x07K\x02"), three_floats));
  EXPECT_THAT(turned.others.at("w"), HasSubstr("not in the order of its axes"));
}

TEST(Formats, TorchTensorsBeyondTheirStorageAreRefused) {
  const auto tensor = [](const std::string& offset, const std::string& size) {
    return refusal(saved(pickled_tensor(3, offset, size, "K\x01"), three_floats));
  };
  EXPECT_THAT(tensor("K\x02", "K\x02"), HasSubstr("2 elements from 2 on in a storage of 3"));
  EXPECT_THAT(tensor("J" + number_of(0xFFFFFFFF, 4), "K\x02"), HasSubstr("number from 0 to 2^48"));
  EXPECT_THAT(tensor("K\x01", "\x8a\x08" + number_of(1ULL << 62, 8)), HasSubstr("number from 0"));
  EXPECT_THAT(tensor("K\x01", "N"), HasSubstr("has nothing where a number"));
  EXPECT_THAT(refusal(saved(pickled_tensor(3, "K\x01", "K\x02K\x02", "K\x01"), three_floats)),
              HasSubstr("4 elements"));
  EXPECT_THAT(refusal(saved(pickled_tensor(3, "K\x01", "K\x02", ""), three_floats)),
              HasSubstr("0 strides for 1 axes"));
  EXPECT_THAT(refusal(saved(pickled_tensor(4, "K\x01", "K\x02", "K\x01"), three_floats)),
              HasSubstr("no member m/data/0 of 16 bytes"));
}

TEST(Formats, WhatIsNoTensorHasAName) {
  const WeightTable table = read(saved("cos\nsystem\n" + pickled("ls") + "\x85R", three_floats));
  EXPECT_EQ(table.others.at("w"), "a call of os.system");
  const std::string called =
      "\x80\x02"
      "cos\nsystem\n" +
      pickled("ls") + "\x85R.";
  EXPECT_THAT(refusal(made_zip({{"m/data.pkl", called}})),
              HasSubstr("its pickle is a call of os.system, not a table of names and tensors"));
}

TEST(StoredZip, RefusesWhatIsNotStoredWholeAndInItsFolder) {
  const MadeMember good{"m/data.pkl", "\x80\x02}."};
  EXPECT_EQ(refusal(made_zip({good})), "accepted");
  const std::pair<std::vector<MadeMember>, const char*> cases[] = {
      {{}, "no format"},
      {{{"a", "b"}}, "without a data.pkl"},
      {{good, good}, "m/data.pkl twice"},
      {{good, {"../x", "a"}}, "called \"../x\""},
      {{good, {"/etc/x", "a"}}, "called \"/etc/x\""},
      {{good, {"m/../../x", "a"}}, "called"},
      {{good, {"m\\x", "a"}}, "called"},
      {{good, {"", "a"}}, "called \"\""},
      {{good, {"m/x", "a", 8}}, "m/x is compressed or encrypted"},
      {{good, {"m/x", "a", 0, 4'000'000'000}}, "would have 4000000000 bytes"},
      {{good, {"m/x", "abc", 0, 0, -3}}, "another header"},
      {{good, {"m/x", "a", 0, 0, 0, "m/y"}}, "another header"},
      {{{"m/data.pkl", "\x80\x02}.", 0, 30}, {"m/x", std::string(100, 'a')}}, "overlaps"},
  };
  for (const auto& [members, part] : cases) {
    EXPECT_THAT(refusal(made_zip(members)), HasSubstr(part));
  }
}

TEST(StoredZip, RefusesDirectoriesThatAreNotThere) {
  const std::string file = made_zip({{"m/data.pkl", "\x80\x02}."}});
  EXPECT_THAT(refusal(file + "x"), HasSubstr("no directory"));
  const auto with = [&](std::size_t from_end, const std::string& bytes) {
    std::string changed = file;
    return refusal(changed.replace(changed.size() - from_end, bytes.size(), bytes));
  };
  EXPECT_THAT(with(12, number_of(0, 2)), HasSubstr("56 bytes too many"));
  EXPECT_THAT(with(12, number_of(9, 2)), HasSubstr("entry 1"));
  EXPECT_THAT(with(10, number_of(0xFFFFFFF0, 4)), HasSubstr("does not end at"));
  EXPECT_THAT(with(6, number_of(0xFFFFFFF0, 4)), HasSubstr("does not end at"));
}

TEST(ForeignSafetensors, OtherTypesAreLeftOutWithTheirNames) {
  std::string header = R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F32","shape":[3],"data_offsets":[8,20]}})";
  const std::string bytes =
      number_of(header.size(), 8) + header + std::string(8, 'x') + three_floats;
  const WeightTable table = read(bytes);
  EXPECT_EQ(table.others.at("a"), "a tensor of I64");
  ASSERT_EQ(table.tensors.size(), 1U);
  EXPECT_EQ(numbers(table.tensors[0]), (std::vector<float>{1, 2, 3}));
  EXPECT_NE(refusal(bytes + "x"), "accepted");
  header.replace(header.find("[0,8]"), 5, "[0,7]");
  EXPECT_NE(refusal(number_of(header.size(), 8) + header + std::string(8, 'x') + three_floats),
            "accepted");
}

}  // namespace
}  // namespace heed::test::formats_test
