#include "heed/data/left_out.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

void LeftOut::add(std::string_view reason, std::int64_t count, const std::string& where) {
  if (count == 0) {
    return;
  }
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [reason](const Entry& one) { return one.reason == reason; });
  if (entry == entries_.end()) {
    entry = entries_.insert(entry, {std::string(reason), 0, where});
  }
  entry->count += count;
}

void LeftOut::add(const LeftOut& others) {
  for (const Entry& entry : others.entries_) {
    add(entry.reason, entry.count, entry.first);
  }
}

std::int64_t LeftOut::count() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) {
    sum += entry.count;
  }
  return sum;
}

std::int64_t LeftOut::count(std::string_view reason) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [reason](const Entry& one) { return one.reason == reason; });
  return entry == entries_.end() ? 0 : entry->count;
}

std::string LeftOut::sentence() const {
  std::string all;
  for (const Entry& entry : entries_) {
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", entry.count, entry.reason);
    if (!entry.first.empty()) {
      all += fmt::format(" ({}{})", entry.count > 1 ? "the first is " : "", entry.first);
    }
  }
  return all;
}

}  // namespace heed
