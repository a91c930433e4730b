// What was left out of the data: each reason with its count and the first occurrence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class LeftOut {
 public:
  /// `reason` follows a number in a sentence: "not UTF-8". `where` is file and line, if known.
  void add(std::string_view reason, std::int64_t count = 1, const std::string& where = "");
  void add(const LeftOut& others);

  std::int64_t count() const;
  std::int64_t count(std::string_view reason) const;
  /// "3 not UTF-8 (the first is train.tsv:17), 1 with an empty side (train.tsv:40)", in the order
  /// in which the reasons came up; empty where nothing was left out.
  std::string sentence() const;

 private:
  struct Entry {
    std::string reason;
    std::int64_t count = 0;
    std::string first;
  };
  std::vector<Entry> entries_;
};

}  // namespace heed
