#include "heed/data/examples.h"

#include <algorithm>
#include <utility>

#include "heed/data/rows.h"
#include "heed/data/synths.h"

namespace heed {
namespace {

std::vector<Example> read_all(const std::vector<std::string>& source,
                              const std::vector<std::string>& target) {
  RowReader reader({.source = source,
                    .target = target,
                    .most_line_bytes = std::size_t{1} << 24,
                    .allows_empty = true});
  std::vector<Example> all;
  for (Row row; reader.next(row);) {
    all.push_back({std::move(row.source), std::move(row.targets.front())});
  }
  return all;
}

}  // namespace

std::vector<Example> made_up_examples(const SynthRange& range) {
  const auto synth = synths().make(range.task);
  std::vector<Example> all;
  all.reserve(static_cast<std::size_t>(std::max<std::int64_t>(range.count, 0)));
  for (std::int64_t i = 0; i < range.count; ++i) {
    all.push_back(synth->make(range.seed, static_cast<std::uint64_t>(i), range.split));
  }
  return all;
}

std::vector<Example> read_pairs(const std::string& path) { return read_all({path}, {}); }

std::vector<Example> read_parallel(const std::string& source, const std::string& target) {
  return read_all({source}, {target});
}

}  // namespace heed
