#include "heed/base/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "heed/base/json_reader.h"
#include "heed/base/philox.h"

namespace heed::json_test {
namespace {

template <class Fn>
std::string fault_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_fault(const std::string& text, const JsonLimits& limits = {}) {
  return fault_of([&] { parse_json(text, "f", limits); });
}

TEST(Json, WritesWhatWasParsedInItsOrder) {
  for (const std::string text :
       {R"({"b":1,"a":[true,false,null,-2.5,"x"],"":{}})", "[]", "{}", "\"\"", "0", "-1", "null",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e+300",
        R"(["\"\\\b\f\n\r\t\u0001é€😀"])"}) {
    EXPECT_EQ(parse_json(text, "f").write(), text);
  }
  EXPECT_EQ(parse_json(" [ 1 , {\"a\" : 2.0 } ]\n", "f").write(), R"([1,{"a":2.0}])");
  EXPECT_EQ(parse_json(R"("\u00e9\ud83d\ude00\/")", "f").write(), "\"é😀/\"");
}

TEST(Json, IsBuiltByHand) {
  Json json = Json::object();
  json.set("z", 1).set("a", "two").set("list", Json::Array{1, 2.5, true, nullptr == nullptr});
  json.set("z", Json());
  EXPECT_EQ(json.write(), R"({"z":null,"a":"two","list":[1,2.5,true,true]})");
  EXPECT_EQ(json.write(2),
            "{\n  \"z\": null,\n  \"a\": \"two\",\n  \"list\": [\n    1,\n    2.5,\n    true,\n    "
            "true\n  ]\n}");
  EXPECT_EQ(Json::array().write(2), "[]");
  EXPECT_EQ(json, parse_json(json.write(4), "f"));
  EXPECT_NE(json, Json());
  EXPECT_THROW(json.push(1), Error);
  EXPECT_THROW(Json(1).set("a", 1), Error);
  EXPECT_EQ(Json(std::uint64_t{1} << 63).write(), "9223372036854775808");
  EXPECT_EQ(Json(static_cast<unsigned char>(7)).write(), "7");
}

TEST(Json, DoublesComeBackBitForBit) {
  const Draws draws(RandomKey{3, 3, 3});
  int tried = 0;
  for (std::uint64_t e = 0; e < 5000; ++e) {
    const double value = std::bit_cast<double>(draws.bits64(e));
    if (!std::isfinite(value)) {
      continue;
    }
    ++tried;
    const Json back = parse_json(Json(value).write(), "f");
    ASSERT_NE(back.get<double>(), nullptr) << Json(value).write();
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back.get<double>()), draws.bits64(e));
  }
  EXPECT_GT(tried, 4900);
  EXPECT_EQ(Json(-0.0).write(), "-0.0");
  EXPECT_EQ(Json(1.0).write(), "1.0");
  EXPECT_EQ(Json(0.1).write(), "0.1");
  EXPECT_THROW(Json(std::nan("")).write(), Error);
  EXPECT_THROW(Json(std::numeric_limits<double>::infinity()).write(), Error);
}

TEST(Json, WritesOnlyUtf8) {
  EXPECT_EQ(Json("a\xFFz\xC3").write(), "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\"");
  EXPECT_EQ(Json(std::string("\0", 1)).write(), "\"\\u0000\"");
}

TEST(JsonParse, SaysWhereTheSyntaxIsBroken) {
  EXPECT_EQ(parse_fault("{\"a\": 1,\n  \"b\": x}"),
            "f:2:8: this is not JSON; check the text there");
  EXPECT_EQ(parse_fault("[1,2"), "f:1:5: the JSON ends too early; check the text there");
  for (const std::string bad :
       {"", "[1,]", "{\"a\"}", "{a:1}", "01", "+1", "1 2", "nul", "\"\x01\"", "\"\xFF\"", "'a'",
        "NaN", "Infinity", "1e999", "\"\\ud800\"", "[1}", "// x\n1", "\"abc"}) {
    EXPECT_NE(parse_fault(bad).find("; check the text there"), std::string::npos)
        << bad << ": " << parse_fault(bad);
  }
}

TEST(JsonParse, HoldsItsLimits) {
  EXPECT_EQ(parse_fault(R"({"a":1,"b":{"a":2},"a":3})"),
            "f: the key \"a\" appears twice; remove one");
  EXPECT_EQ(parse_fault(R"({"\u0061":1,"a":3})"), "f: the key \"a\" appears twice; remove one");
  EXPECT_EQ(parse_fault(R"({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"a":10})"),
            "f: the key \"a\" appears twice; remove one");
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(parse_fault(nested(64)), "no error");
  EXPECT_EQ(parse_fault(nested(65)), "f: it has more than 64 levels; make it flatter");
  EXPECT_EQ(parse_fault(std::string(1000000, '[')),
            "f: it has more than 64 levels; make it flatter");
  std::string objects;
  for (int i = 0; i < 100; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_EQ(parse_fault(objects), "f: it has more than 64 levels; make it flatter");
  JsonLimits limits;
  limits.most_bytes = 3;
  EXPECT_EQ(parse_fault("[1]", limits), "no error");
  EXPECT_EQ(parse_fault("[12]", limits),
            "f: 4 bytes of JSON are more than the 3 that can be read; split it");
  limits = JsonLimits();
  limits.most_values = 4;
  EXPECT_EQ(parse_fault("[1,2,3]", limits), "no error");
  EXPECT_EQ(parse_fault("[1,2,3,4]", limits), "f: it has more than 4 values; split it");
}

TEST(JsonParse, TheWriterHoldsTheDepthToo) {
  Json deep;
  for (int i = 0; i < 65; ++i) {
    deep = Json(Json::Array{deep});
  }
  EXPECT_THROW(deep.write(), Error);
}

class JsonReaderTest : public testing::Test {
 protected:
  const Json json = parse_json(
      R"({"small": 7, "minus": -1, "big": 1099511627776, "huge": 18446744073709551615, "beyond": 1e300,
          "over": 18446744073709551616, "real": 2.5, "whole_real": 3.0, "text": "words", "yes": true,
          "none": null, "list": [1, [2, {"deep": "x"}]], "map": {"b": 1, "a": 2}})",
      "f");
  const JsonReader root{json, "f"};
};

TEST_F(JsonReaderTest, GivesTypedValues) {
  EXPECT_EQ(root.at("small").integer(), 7);
  EXPECT_EQ(root.at("minus").integer(), -1);
  EXPECT_EQ(root.at("big").integer(), std::int64_t{1} << 40);
  EXPECT_EQ(root.at("huge").natural(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(root.at("small").natural(), 7U);
  EXPECT_EQ(root.at("real").number(), 2.5);
  EXPECT_EQ(root.at("small").number(), 7.0);
  EXPECT_EQ(root.at("beyond").number(), 1e300);
  EXPECT_EQ(root.at("text").text(), "words");
  EXPECT_TRUE(root.at("yes").boolean());
  EXPECT_TRUE(root.at("none").is_null());
  EXPECT_EQ(root.at("list").size(), 2U);
  EXPECT_EQ(root.at("list").at(1).at(1).at("deep").path(), "list[1][1].deep");
  EXPECT_EQ(root.at("list").items()[0].integer(), 1);
  EXPECT_EQ(root.at("map").members()[0].key, "b");
  EXPECT_EQ(root.at("map").members()[1].value.integer(), 2);
  EXPECT_FALSE(root.find("absent").has_value());
  EXPECT_EQ(root.find("small")->integer(), 7);
}

TEST_F(JsonReaderTest, NothingWrapsOrRounds) {
  const auto integer = [&](const char* key) {
    return fault_of([&] { root.at(key).integer(0, 100); });
  };
  EXPECT_EQ(integer("big"), "f: big: must be a whole number from 0 to 100, not 1099511627776");
  EXPECT_EQ(integer("minus"), "f: minus: must be a whole number from 0 to 100, not -1");
  for (const char* key :
       {"huge", "over", "beyond", "real", "whole_real", "text", "yes", "none", "list"}) {
    EXPECT_NE(fault_of([&] { root.at(key).integer(); }), "no error") << key;
  }
  for (const char* key : {"minus", "over", "beyond", "real", "whole_real", "text", "yes", "none"}) {
    EXPECT_NE(fault_of([&] { root.at(key).natural(); }), "no error") << key;
  }
  EXPECT_EQ(fault_of([&] { root.at("huge").natural(9); }),
            "f: huge: must be a whole number from 0 to 9, not 18446744073709551615");
  EXPECT_EQ(fault_of([&] { root.at("real").number(0, 1); }),
            "f: real: must be a number from 0 to 1, not 2.5");
  EXPECT_EQ(fault_of([&] { root.at("text").number(); }),
            "f: text: must be a number, not \"words\"");
}

TEST_F(JsonReaderTest, NamesThePlace) {
  EXPECT_EQ(fault_of([&] { root.at("list").at(1).at(1).at("deep").integer(1, 2); }),
            "f: list[1][1].deep: must be a whole number from 1 to 2, not \"x\"");
  EXPECT_EQ(fault_of([&] { root.at("map").at("c"); }), "f: map: \"c\" is missing; add it");
  EXPECT_EQ(fault_of([&] { root.at("c"); }), "f: \"c\" is missing; add it");
  EXPECT_EQ(fault_of([&] { root.at("list").at(2); }),
            "f: list: it has 2 items, but must have at least 3");
  EXPECT_EQ(fault_of([&] { root.at("list").at("a"); }), "f: list: must be an object, not an array");
  EXPECT_EQ(fault_of([&] { root.at("map").at(0); }), "f: map: must be an array, not an object");
  EXPECT_EQ(fault_of([&] { root.at("text").boolean(); }),
            "f: text: must be true or false, not \"words\"");
  EXPECT_EQ(fault_of([&] { root.at("small").text(); }), "f: small: must be a text, not 7");
  EXPECT_EQ(fault_of([&] { root.at("small").size(); }),
            "f: small: must be an array or an object, not 7");
  EXPECT_EQ(fault_of([&] { root.at("small").refuse("an odd day"); }),
            "f: small: must be an odd day, not 7");
}

TEST_F(JsonReaderTest, RefusesUnknownKeys) {
  EXPECT_NO_THROW(root.at("map").allow_only({"a", "b", "c"}));
  EXPECT_EQ(fault_of([&] {
              root.at("map").allow_only({"alpha", "a"});
            }),
            "f: map: unknown key \"b\"; choose one of alpha, a");
  const Json json_typo = parse_json(R"({"learning_rte": 1})", "f");
  EXPECT_EQ(fault_of([&] {
              JsonReader(json_typo, "f").allow_only({"steps", "learning_rate"});
            }),
            "f: unknown key \"learning_rte\"; choose one of steps, learning_rate; did you mean "
            "\"learning_rate\"?");
}

TEST(JsonReader, CarriesItsFault) {
  const Json json = 1;
  try {
    JsonReader(json, "request", Fault::usage).text();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
  }
}

// Mutated texts either parse, and are then written back the same, or throw Error; nothing else
// happens.
TEST(JsonParse, MutatedTextsNeverDoAnythingElse) {
  const std::string seed =
      R"({"a":[1,-2,3.5e-3,"x\u00e9\n",{"b":null,"c":true}],"d":18446744073709551615})";
  const Draws draws(RandomKey{8, 8, 8});
  int parsed = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    std::string text = seed;
    for (std::uint64_t i = 0; i < 1 + trial % 3; ++i) {
      const std::uint64_t e = trial * 8 + i * 2;
      text[draws.below(e, text.size())] = seed[draws.below(e + 1, seed.size())];
    }
    try {
      const Json json = parse_json(text, "f");
      ++parsed;
      ASSERT_EQ(parse_json(json.write(), "f"), json) << text;
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(parsed, 50);
  EXPECT_LT(parsed, 1950);
}

}  // namespace
}  // namespace heed::json_test
