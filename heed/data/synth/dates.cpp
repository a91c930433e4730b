// Wednesday, 3rd March 2021 → 2021-03-03: a day from 1900 to 2099 as people write it. No form is
// ambiguous: where the month is a number the year comes first, and years have four digits.
#include <array>
#include <chrono>
#include <string>

#include "heed/base/error.h"
#include "heed/data/synths.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 12> month_names = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 12> roman_months = {"I",   "II",   "III", "IV", "V",  "VI",
                                                           "VII", "VIII", "IX",  "X",  "XI", "XII"};
constexpr std::array<std::string_view, 7> weekday_names = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 31> ordinal_words = {
    "first",        "second",         "third",         "fourth",        "fifth",
    "sixth",        "seventh",        "eighth",        "ninth",         "tenth",
    "eleventh",     "twelfth",        "thirteenth",    "fourteenth",    "fifteenth",
    "sixteenth",    "seventeenth",    "eighteenth",    "nineteenth",    "twentieth",
    "twenty-first", "twenty-second",  "twenty-third",  "twenty-fourth", "twenty-fifth",
    "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth",  "thirtieth",
    "thirty-first"};

// %W Wednesday, %w Wed; %D 3, %d 03, %o 3rd, %O third; %M March, %m Mar, %n 3, %N 03, %R III; %Y
// 2021.
constexpr std::array<std::string_view, 28> forms = {
    "%M %D, %Y",   "%M %o, %Y",       "%M %D %Y",         "%D %M %Y",      "%o %M %Y",
    "%D. %M %Y",   "the %o of %M %Y", "the %O of %M, %Y", "%M the %o, %Y", "%M the %O, %Y",
    "%D %m %Y",    "%m %D, %Y",       "%m. %D, %Y",       "%m %o, %Y",     "%d-%m-%Y",
    "%D/%m/%Y",    "%d%m%Y",          "%W, %M %D, %Y",    "%W, %D %M %Y",  "%W the %o of %M %Y",
    "%w %D %m %Y", "%w, %m %o, %Y",   "%Y-%N-%d",         "%Y/%N/%d",      "%Y%N%d",
    "%Y %M %D",    "%D.%R.%Y",        "%Y年%n月%D日",
};

std::string ordinal(unsigned day) {
  const bool is_teen = day / 10 == 1;
  const unsigned last = is_teen ? 0 : day % 10;
  return fmt::format("{}{}", day, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string written(std::chrono::sys_days when, char part) {
  const std::chrono::year_month_day date(when);
  const auto day = static_cast<unsigned>(date.day());
  const auto month = static_cast<unsigned>(date.month());
  const std::string_view weekday = weekday_names[std::chrono::weekday(when).c_encoding()];
  switch (part) {
    case 'W':
      return std::string(weekday);
    case 'w':
      return std::string(weekday.substr(0, 3));
    case 'D':
      return std::to_string(day);
    case 'd':
      return fmt::format("{:02}", day);
    case 'o':
      return ordinal(day);
    case 'O':
      return std::string(ordinal_words[day - 1]);
    case 'M':
      return std::string(month_names[month - 1]);
    case 'm':
      return std::string(month_names[month - 1].substr(0, 3));
    case 'n':
      return std::to_string(month);
    case 'N':
      return fmt::format("{:02}", month);
    case 'R':
      return std::string(roman_months[month - 1]);
    case 'Y':
      return fmt::format("{:04}", static_cast<int>(date.year()));
    default:
      fail("dates: saw %{} in a form, needs one of WwDdoOMmnNRY; correct the table", part);
  }
}

std::string written_as(std::chrono::sys_days when, std::string_view form) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '%') {
      text += written(when, form[++i]);
    } else {
      text += form[i];
    }
  }
  return text;
}

class Dates : public Synth {
 public:
  std::string_view name() const override { return "dates"; }

 protected:
  Example draw(Dice& dice) const override {
    using namespace std::chrono;
    constexpr sys_days first = 1900y / January / 1;
    constexpr sys_days last = 2099y / December / 31;
    const sys_days when =
        first + days(dice.between(0, static_cast<std::size_t>((last - first).count())));
    const std::string source = written_as(when, forms[dice.below(forms.size())]);
    return {in_some_case(source, dice), written_as(when, "%Y-%N-%d")};
  }
};

}  // namespace

std::unique_ptr<Synth> dates() { return std::make_unique<Dates>(); }

}  // namespace heed
