// A part must come with a test that compares it with something independent: numbers worked out by
// hand from its formula, or another library's. Tests that hold for every entry of a catalogue (it
// teaches, it goes on exactly) cannot find a wrong sign.
//
//   TEST(Schedules, EveryOneIsWorkedOut) {
//     test::expect_worked_out(schedules(), {{"constant", "Schedules.ConstantRisesThenStays"}, …});
//   }
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "heed/base/catalogue.h"

namespace heed::test {

/// Whether this program has the test "Suite.Name"; with parameters it is Prefix/Suite.Name/parameter.
inline bool has_test(const std::string& name) {
  const auto* tests = ::testing::UnitTest::GetInstance();
  for (int s = 0; s < tests->total_test_suite_count(); ++s) {
    const auto* suite = tests->GetTestSuite(s);
    for (int t = 0; t < suite->total_test_count(); ++t) {
      const std::string whole =
          std::string("/") + suite->name() + "." + suite->GetTestInfo(t)->name();
      const size_t found = whole.find("/" + name);
      const size_t end = found + 1 + name.size();
      if (found != std::string::npos && (end == whole.size() || whole[end] == '/')) {
        return true;
      }
    }
  }
  return false;
}

/// Every entry of the catalogue names a test of its formula that exists in this program.
template <class Part>
void expect_worked_out(const Catalogue<Part>& catalogue,
                       const std::map<std::string, std::string>& tests) {
  for (const auto& entry : catalogue) {
    const auto found = tests.find(entry.name);
    if (found == tests.end()) {
      ADD_FAILURE() << catalogue.name() << " " << entry.name
                    << ": compare it with numbers worked out by hand, and name that test here";
    } else {
      EXPECT_TRUE(has_test(found->second))
          << catalogue.name() << " " << entry.name << ": there is no test " << found->second;
    }
  }
}

}  // namespace heed::test
