#include "heed/data/examples.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/line_reader.h"
#include "heed/data/synths.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// The next line, which must be UTF-8.
bool next_text(LineReader& reader, std::string& line) {
  if (!reader.next(line)) {
    return false;
  }
  check_utf8(reader.where(), line);
  return true;
}

std::int64_t count_on(LineReader& reader) {
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
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

std::vector<Example> read_pairs(const std::string& path) {
  LineReader reader(path);
  std::vector<Example> all;
  std::string line;
  while (next_text(reader, line)) {
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1) {
      fail(Fault::file,
           "{}: saw {} columns, needs two: source, tab, target; keep only those (cut -f1,2)",
           reader.where(), tabs + 1);
    }
    const std::size_t tab = line.find('\t');
    all.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return all;
}

std::vector<Example> read_parallel(const std::string& source, const std::string& target) {
  LineReader sources(source);
  LineReader targets(target);
  std::vector<Example> all;
  Example example;
  while (true) {
    const bool has_source = next_text(sources, example.source);
    const bool has_target = next_text(targets, example.target);
    if (has_source != has_target) {
      const std::int64_t more = count_on(sources);
      const std::int64_t others = count_on(targets);
      fail(Fault::file,
           "{} and {}: saw {} and {} lines, needs as many in both, line i of one belonging to line "
           "i of the other; align the files",
           source, target, more, others);
    }
    if (!has_source) {
      return all;
    }
    all.push_back(example);
  }
}

}  // namespace heed
