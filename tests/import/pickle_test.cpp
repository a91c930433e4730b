// A pickle is read as what it says; nothing is executed, and what torch.save does not write is refused.
#include "heed/import/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/import/bytes_of_zip.h"

namespace heed::test::pickle_test {
namespace {

using ::testing::HasSubstr;
using Kind = Pickle::Kind;

const std::string two = "\x80\x02";

/// What a program makes; it must live as long as the pickle.
std::string refusal(const std::string& program) {
  try {
    Pickle(program, "file");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "accepted";
}

TEST(Pickle, ReadsNumbersTextsAndContainers) {
  const std::string program = two + "(J" + number_of(0xFFFFFFFE, 4) + "K\x07M" + number_of(513, 2) +
                              "\x8a\x02" + number_of(0xFF00, 2) + "N\x88" + pickled("né") +
                              "](K\x01K\x02" + "eK\x03" + "at.";
  const Pickle pickle(program, "file");
  EXPECT_EQ(pickle.size(), program.size());
  const Pickle::Value& all = pickle.at(pickle.root());
  ASSERT_EQ(all.kind, Kind::tuple);
  ASSERT_EQ(all.items.size(), 8U);
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < 4; ++i) {
    numbers.push_back(pickle.at(all.items[static_cast<size_t>(i)]).whole);
  }
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{-2, 7, 513, -256}));
  EXPECT_EQ(pickle.at(all.items[4]).kind, Kind::none);
  EXPECT_EQ(pickle.at(all.items[5]).whole, 1);
  EXPECT_TRUE(pickle.is_text(all.items[6], "né"));
  EXPECT_EQ(pickle.at(all.items[7]).items.size(), 3U);
}

TEST(Pickle, ACallIsARecordAndAnOrderedDictionaryATable) {
  const std::string program = two + "ccollections\nOrderedDict\n)R(" + pickled("a") +
                              "cos\nsystem\n" + pickled("rm -r /") + "\x85Rq\x01" + pickled("b") +
                              "h\x01u}b.";
  const Pickle pickle(program, "file");
  const Pickle::Value& table = pickle.at(pickle.root());
  ASSERT_EQ(table.kind, Kind::dictionary);
  ASSERT_EQ(table.items.size(), 4U);
  EXPECT_EQ(table.items[1], table.items[3]);
  EXPECT_TRUE(pickle.calls(table.items[1], "os", "system", 1));
  EXPECT_FALSE(pickle.calls(table.items[1], "os", "system", 2));
  EXPECT_FALSE(pickle.calls(table.items[0], "os", "system", 0));
  EXPECT_EQ(pickle.described(table.items[1]), "a call of os.system");
  EXPECT_EQ(pickle.described(pickle.root()), "a table");
}

/// A list in itself, and a tuple of a tuple of … a million of million values, cost nothing.
TEST(Pickle, ValuesMayContainThemselves) {
  EXPECT_EQ(refusal(two + "]q\x01h\x01" + "a."), "accepted");
  std::string bomb = two + "]q\x01";
  for (int i = 0; i < 100; ++i) {
    bomb += "h\x01h\x01\x86q\x01";
  }
  EXPECT_EQ(refusal(bomb + "."), "accepted");
}

TEST(Pickle, RefusesWhatTorchDoesNotWrite) {
  EXPECT_THAT(refusal("\x80\x04N."), HasSubstr("file: it is of another protocol than 2 at byte 0"));
  for (const char opcode :
       {'i', 'o', 'I', 'L', 'F', 'S', 'V', 'P', 'p', 'g', 'd', 'l', '0', '1', '2'}) {
    EXPECT_THAT(refusal(two + opcode + "1\n."), HasSubstr("there is the opcode 0x")) << opcode;
  }
  EXPECT_THAT(refusal(two + "\x93."),
              HasSubstr("the opcode 0x93, which torch.save does not write"));
  EXPECT_THAT(refusal(two + "\x82\x01."), HasSubstr("the opcode 0x82"));
}

TEST(Pickle, RefusesWhatDoesNotFit) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "the end comes too early at byte 0"},
      {two, "the end comes too early at byte 2"},
      {two + "J12", "the end comes too early"},
      {two + "X" + number_of(0xFFFFFFFF, 4) + "a", "the end comes too early"},
      {two + "X" + number_of(1, 4) + "\xFF.", "a text is not UTF-8"},
      {two + "cos", "a name has no end"},
      {two + ".", "a value is missing"},
      {two + "\x86.", "a value is missing"},
      {two + "N(\x85.", "a value is missing"},
      {two + "t.", "a mark is missing"},
      {two + "h\x05.", "not remembered"},
      {two + "}NNNu.", "a mark is missing"},
      {two + "}(NNNu.", "another kind of value"},
      {two + "}Na.", "another kind of value"},
      {two + "]NNs.", "another kind of value"},
      {two + "NNR.", "something that is no name is called"},
      {two + "cos\nsystem\nNR.", "something that is no name is called"},
      {two + "q\x01.", "a value is missing"},
  };
  for (const auto& [program, part] : cases) {
    EXPECT_THAT(refusal(program), HasSubstr(part));
  }
}

TEST(Pickle, HasAsManyValuesAsItMay) {
  EXPECT_THAT(refusal(two + std::string(Pickle::most_values + 1, 'N')), HasSubstr("more than"));
  EXPECT_THAT(refusal(two + std::string(Pickle::most_values + 1, '(')), HasSubstr("more than"));
  std::string remembers = two + "N";
  for (std::size_t i = 0; i <= Pickle::most_values; ++i) {
    remembers += "r" + number_of(i, 4);
  }
  EXPECT_THAT(refusal(remembers), HasSubstr("remembered"));
  std::string same = two + "]q\x01(";
  for (std::size_t i = 0; i <= Pickle::most_items; ++i) {
    same += "h\x01";
  }
  EXPECT_THAT(refusal(same + "e."), HasSubstr("items"));
}

}  // namespace
}  // namespace heed::test::pickle_test
