#include "heed/data/synths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "heed/base/error.h"
#include "tests/support/worked_out.h"

namespace heed::synths_test {
namespace {

constexpr std::uint64_t seed = 7;
constexpr std::uint64_t count = 3000;
constexpr std::array<Split, 3> splits = {Split::train, Split::valid, Split::test};

std::string in_small_letters(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
  }
  return text;
}

/// Runs of letters and runs of digits; all else separates.
std::vector<std::string> runs(const std::string& text) {
  const auto kind = [](char c) { return c >= 'a' && c <= 'z' ? 1 : c >= '0' && c <= '9' ? 2 : 0; };
  std::vector<std::string> found;
  int before = 0;
  for (const char c : in_small_letters(text)) {
    if (kind(c) != 0 && kind(c) != before) {
      found.emplace_back();
    }
    if (kind(c) != 0) {
      found.back() += c;
    }
    before = kind(c);
  }
  return found;
}

TEST(Synths, EveryOneIsAPureFunctionOfSeedAndIndex) {
  for (const auto& entry : synths()) {
    const auto one = entry.make();
    const auto other = entry.make();
    EXPECT_EQ(one->name(), entry.name);
    int same_with_other_seed = 0;
    for (std::uint64_t index = 100; index-- > 0;) {
      const Example example = one->make(seed, index);
      EXPECT_EQ(example.source, other->make(seed, index).source);
      EXPECT_EQ(example.target, other->make(seed, index).target);
      same_with_other_seed += example.source == one->make(seed + 1, index).source ? 1 : 0;
    }
    EXPECT_LT(same_with_other_seed, 10) << entry.name;
  }
}

TEST(Synths, SplitsShareNeitherSourceNorTargetWhateverTheSeed) {
  for (const auto& entry : synths()) {
    const auto synth = entry.make();
    std::map<std::string, Split> of_source;
    std::map<std::string, Split> of_target;
    for (const Split split : splits) {
      for (std::uint64_t index = 0; index < count; ++index) {
        const Example example = synth->make(static_cast<std::uint64_t>(split), index, split);
        EXPECT_EQ(of_source.emplace(example.source, split).first->second, split) << example.source;
        EXPECT_TRUE(synth->repeats_targets() ||
                    of_target.emplace(example.target, split).first->second == split)
            << example.target;
      }
    }
  }
}

TEST(Synths, ASourceHasOneTarget) {
  for (const auto& entry : synths()) {
    const auto synth = entry.make();
    std::map<std::string, std::string> targets;
    for (std::uint64_t index = 0; index < 4 * count; ++index) {
      const Example example = synth->make(seed, index);
      EXPECT_EQ(targets.emplace(example.source, example.target).first->second, example.target);
    }
    EXPECT_GT(targets.size(), count) << entry.name;
  }
}

TEST(Synths, TrendsCompareEachDigitWithTheOneBefore) {
  const auto synth = synths().make("trends");
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Example example = synth->make(seed, index);
    std::string expected = "new";
    for (std::size_t at = 2; at < example.source.size(); at += 2) {
      const int step = example.source[at] - example.source[at - 2];
      expected += step > 0 ? " up" : step < 0 ? " down" : " same";
    }
    EXPECT_EQ(example.target, expected) << example.source;
    EXPECT_GE(example.source.size(), 7U);
  }
}

TEST(Synths, MarkedAsksForTheColourBehindTheStar) {
  const auto synth = synths().make("marked");
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Example example = synth->make(seed, index);
    const std::size_t star = example.source.find("* ");
    ASSERT_NE(star, std::string::npos) << example.source;
    EXPECT_EQ(example.source.find('*', star + 1), std::string::npos) << example.source;
    const std::string rest = example.source.substr(star + 2);
    EXPECT_EQ(example.target, rest.substr(0, rest.find(' '))) << example.source;
    ++seen[example.target];
  }
  EXPECT_EQ(seen.size(), 4U);
}

/// The numbers of a row.
std::vector<double> numbers_of(const std::string& row) {
  std::istringstream in(row);
  return {std::istream_iterator<double>(in), {}};
}

TEST(Synths, SignalsHaveTheirLettersLargeNumbers) {
  const auto synth = synths().make("signals");
  for (std::uint64_t index = 0; index < count; ++index) {
    const Example example = synth->make(seed, index);
    std::istringstream in(example.source);
    std::string letters;  // without the repetitions of neighbours
    for (std::string row; std::getline(in, row, ';');) {
      const std::vector<double> numbers = numbers_of(row);
      ASSERT_EQ(numbers.size(), 8U) << row;
      const auto largest = std::max_element(numbers.begin(), numbers.end());
      EXPECT_NEAR(*largest, 1, 0.301) << row;
      for (const double number : numbers) {
        EXPECT_TRUE(number == *largest || std::abs(number) < 0.301) << row;
      }
      const auto letter = static_cast<char>('a' + (largest - numbers.begin()));
      if (letters.empty() || letters.back() != letter) {
        letters += letter;
      }
    }
    ASSERT_EQ(letters, example.target) << example.source;
  }
}

TEST(Synths, TonesAreTheDigitsOneAfterTheOther) {
  const auto synth = synths().make("tones");
  for (std::uint64_t index = 0; index < count; ++index) {
    const Example example = synth->make(seed, index);
    std::istringstream in(example.source);
    std::string digits;
    int end = 0;                                            // of the last key, in milliseconds
    for (std::string part; std::getline(in, part, ',');) {  // "4@120+80"
      if (part.find('@') == std::string::npos) {
        continue;
      }
      const int start = std::stoi(part.substr(2));
      EXPECT_GT(start, end) << example.source;
      end = start + std::stoi(part.substr(part.find('+') + 1));
      digits += part.front();
    }
    ASSERT_EQ(digits, example.target) << example.source;
    EXPECT_LE(end, std::stoi(example.source.substr(example.source.find(':') + 1)));
  }
}

TEST(Synths, EveryOneIsWorkedOut) {
  test::expect_worked_out(synths(),
                          {{"reverse", "Reverse.BackToFrontThreeToTwelveLetters"},
                           {"dates", "Dates.AnotherReaderFindsTheSameDayAndTheRightWeekday"},
                           {"numbers", "Numbers.ReadBackToTheirDigits"},
                           {"signals", "Synths.SignalsHaveTheirLettersLargeNumbers"},
                           {"tones", "Synths.TonesAreTheDigitsOneAfterTheOther"},
                           {"trends", "Synths.TrendsCompareEachDigitWithTheOneBefore"},
                           {"marked", "Synths.MarkedAsksForTheColourBehindTheStar"},
                           {"shapes", "Shapes.SayWhatIsWhere"}});
}

TEST(Synths, NineInTenAreForTraining) {
  std::map<Split, int> shares;
  for (int i = 0; i < 20000; ++i) {
    ++shares[split_of(std::to_string(i))];
  }
  EXPECT_NEAR(shares[Split::train], 18000, 150);
  EXPECT_NEAR(shares[Split::valid], 1000, 125);
  EXPECT_NEAR(shares[Split::test], 1000, 125);
}

TEST(Synths, SplitsNeverChange) {
  // Models that are in use were trained on one of these splits, so the splits must not change.
  EXPECT_EQ(split_of("2021-03-03"), Split::train);
  EXPECT_EQ(split_of("trewq"), Split::train);
  EXPECT_EQ(split_of("4"), Split::valid);
  EXPECT_EQ(split_of("20"), Split::valid);
  EXPECT_EQ(split_of("3"), Split::test);
  EXPECT_EQ(split_of("65"), Split::test);
}

TEST(Reverse, BackToFrontThreeToTwelveLetters) {
  const auto synth = synths().make("reverse");
  std::set<std::size_t> lengths;
  std::set<char> letters;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Example example = synth->make(seed, index);
    const std::size_t n = example.source.size();
    ASSERT_EQ(example.target.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(example.source[i], example.target[n - 1 - i]);
    }
    lengths.insert(n);
    letters.insert(example.source.begin(), example.source.end());
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(letters.size(), 26U);
  EXPECT_EQ(*letters.begin(), 'a');
  EXPECT_EQ(*letters.rbegin(), 'z');
}

/// Zeller's congruence, 0 = Saturday: shares nothing with std::chrono.
int zeller(int year, int month, int day) {
  if (month < 3) {
    month += 12;
    --year;
  }
  return (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
}

int days_in(int year, int month) {
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int days[] = {31, is_leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1];
}

int place_in(const std::vector<std::string>& list, const std::string& text) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == text || (text.size() == 3 && list[i].substr(0, 3) == text)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

struct Read {
  int year = -1;
  int month = -1;
  int day = -1;
  int weekday = -1;
};

const std::vector<std::string> month_list = {"january",   "february", "march",    "april",
                                             "may",       "june",     "july",     "august",
                                             "september", "october",  "november", "december"};
const std::vector<std::string> roman_list = {"i",   "ii",   "iii", "iv", "v",  "vi",
                                             "vii", "viii", "ix",  "x",  "xi", "xii"};
const std::vector<std::string> weekday_list = {"saturday",  "sunday",   "monday", "tuesday",
                                               "wednesday", "thursday", "friday"};
const std::vector<std::string> ordinal_list = {
    "first",     "second",    "third",       "fourth",     "fifth",      "sixth",      "seventh",
    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"};

void read_word(const std::string& word, Read& read) {
  if (const int month = place_in(month_list, word); month >= 0) {
    read.month = month + 1;
  } else if (const int weekday = place_in(weekday_list, word); weekday >= 0) {
    read.weekday = weekday;
  } else if (const int roman =
                 std::find(roman_list.begin(), roman_list.end(), word) - roman_list.begin();
             roman < 12) {
    read.month = static_cast<int>(roman) + 1;
  } else if (word == "twenty" || word == "thirty") {
    read.day = word == "twenty" ? 20 : 30;
  } else if (word == "thirtieth") {
    read.day = 30;
  } else if (const int ordinal = place_in(ordinal_list, word); ordinal >= 0) {
    read.day = std::max(read.day, 0) + ordinal + 1;
  } else {
    EXPECT_TRUE(place_in({"the", "of", "st", "nd", "rd", "th"}, word) >= 0) << word;
  }
}

/// A reader of dates that does not know the forms in which they were written.
Read read_date(const std::string& source) {
  Read read;
  const auto parts = runs(source);
  const bool has_name = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return place_in(month_list, part) >= 0 || place_in(roman_list, part) >= 0;
  });
  for (const std::string& part : parts) {
    if (part[0] > '9') {
      read_word(part, read);
    } else if (part.size() == 8) {
      read = {std::stoi(part.substr(0, 4)), std::stoi(part.substr(4, 2)), std::stoi(part.substr(6)),
              -1};
    } else if (part.size() == 4) {
      read.year = std::stoi(part);
    } else if (!has_name && read.month < 0) {
      read.month = std::stoi(part);
    } else {
      read.day = std::stoi(part);
    }
  }
  return read;
}

TEST(Dates, AnotherReaderFindsTheSameDayAndTheRightWeekday) {
  const auto synth = synths().make("dates");
  std::set<int> years;
  int weekdays = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Example example = synth->make(seed, index);
    ASSERT_EQ(example.target.size(), 10U);
    const int year = std::stoi(example.target.substr(0, 4));
    const int month = std::stoi(example.target.substr(5, 2));
    const int day = std::stoi(example.target.substr(8, 2));
    ASSERT_TRUE(year >= 1900 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 &&
                day <= days_in(year, month))
        << example.target;
    const Read read = read_date(example.source);
    ASSERT_EQ(read.year, year) << example.source;
    ASSERT_EQ(read.month, month) << example.source;
    ASSERT_EQ(read.day, day) << example.source << " → " << example.target;
    if (read.weekday >= 0) {
      ++weekdays;
      ASSERT_EQ(read.weekday, zeller(year, month, day)) << example.source;
    }
    years.insert(year);
  }
  EXPECT_EQ(years.size(), 200U);
  EXPECT_GT(weekdays, 300);
}

TEST(Dates, AreWrittenInManyForms) {
  const auto synth = synths().make("dates");
  std::set<std::string> shapes;
  for (std::uint64_t index = 0; index < count; ++index) {
    std::string shape;
    for (const std::string& run : runs(synth->make(seed, index).source)) {
      shape += run[0] > '9' ? "w" : std::to_string(run.size());
    }
    shapes.insert(shape);
  }
  EXPECT_GT(shapes.size(), 15U);
}

/// English number words, read left to right.
std::size_t read_number(const std::string& source) {
  static const std::vector<std::string> small = {
      "zero",     "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static const std::vector<std::string> tens = {"twenty", "thirty",  "forty",  "fifty",
                                                "sixty",  "seventy", "eighty", "ninety"};
  std::size_t total = 0;
  std::size_t current = 0;
  for (const std::string& word : runs(source)) {
    const auto unit = std::find(small.begin(), small.end(), word);
    const auto ten = std::find(tens.begin(), tens.end(), word);
    if (unit != small.end()) {
      current += static_cast<std::size_t>(unit - small.begin());
    } else if (ten != tens.end()) {
      current += 10 * static_cast<std::size_t>(ten - tens.begin() + 2);
    } else if (word == "a") {
      current = 1;
    } else if (word == "hundred") {
      current *= 100;
    } else if (word == "thousand") {
      total = current * 1000;
      current = 0;
    } else {
      EXPECT_EQ(word, "and");
    }
  }
  return total + current;
}

TEST(Numbers, ReadBackToTheirDigits) {
  const auto synth = synths().make("numbers");
  std::set<std::size_t> lengths;
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Example example = synth->make(seed, index);
    ASSERT_EQ(std::to_string(read_number(example.source)), example.target) << example.source;
    lengths.insert(example.target.size());
    const std::string small = in_small_letters(example.source);
    ASSERT_EQ(small.find("ty hundred"), std::string::npos) << "nobody says " << small;
    ASSERT_EQ(small.find("ten hundred"), std::string::npos) << "nobody says " << small;
    seen["capitals"] += small != example.source ? 1 : 0;
    for (const char* mark : {" and ", "-", ",", "a hundred", "a thousand", "een hundred"}) {
      seen[mark] += small.find(mark) != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(seen.size(), 7U);
  for (const auto& [mark, times] : seen) {
    EXPECT_GT(times, 0) << mark;
  }
}

}  // namespace
}  // namespace heed::synths_test
