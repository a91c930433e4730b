#include "heed/data/examples.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/line_reader.h"
#include "heed/data/rows.h"
#include "heed/data/synths.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

RowFiles row_files(const std::vector<std::string>& source, const std::vector<std::string>& target,
                   std::int64_t source_columns) {
  return {.source = source,
          .target = target,
          .source_columns = source_columns,
          .most_line_bytes = std::size_t{1} << 24,
          .allows_empty = true};
}

/// What `act` returns; a fault of a file that it meets begins with the line.
template <class Act>
auto in_line(const std::string& where, const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    if (error.fault() != Fault::file) {
      throw;
    }
    fail(Fault::file, "{}: {}", where, error.what());
  }
}

std::vector<Example> read_all(const std::vector<std::string>& source,
                              const std::vector<std::string>& target,
                              std::int64_t source_columns = 1) {
  RowReader reader(row_files(source, target, source_columns));
  std::vector<Example> all;
  for (Row row; reader.next(row);) {
    all.push_back({std::move(row.source), std::move(row.targets.front())});
  }
  return all;
}

/// The pairs of the files for a field of sources: its cells are located beside the table, and read once, so that a fault names the
/// line.
std::vector<Example> read_for(const Field& field, RowFiles files) {
  RowReader reader(std::move(files));
  std::vector<Example> all;
  std::vector<std::string> cells;
  for (Row row; reader.next(row);) {
    Example pair{std::move(row.source), std::move(row.targets.front())};
    if (!pair.source.empty() && !field.has_tokens()) {
      pair.source =
          in_line(reader.where(), [&] { return field.located(pair.source, reader.table()); });
      cells.push_back(pair.source);
      if (!field.learns()) {
        in_line(reader.where(), [&] { field.verify(field.read(pair.source)); });
      }
    }
    all.push_back(std::move(pair));
  }
  if (field.learns()) {
    field.meet(cells);
  }
  return all;
}

}  // namespace

std::vector<Example> made_up_examples(const SynthRange& range) {
  const auto synth = synths().make(range.task);
  std::vector<Example> all;
  for (std::int64_t i = 0; i < range.count; ++i) {
    all.push_back(synth->make(range.seed, static_cast<std::uint64_t>(i), range.split));
  }
  return all;
}

std::vector<Example> read_pairs(const std::string& path) { return read_all({path}, {}); }

std::vector<Example> read_pairs(const std::string& path, const Field& source) {
  RowFiles files = row_files({path}, {}, source.columns());
  if (source.columns() > 1) {
    files.columns = {1, source.columns() + 1};
  }
  return read_for(source, std::move(files));
}

std::vector<Example> read_texts(const std::string& path) { return read_all({path}, {}, 0); }

std::vector<Example> read_parallel(const std::string& source, const std::string& target,
                                   const Field& field) {
  return read_for(field, row_files({source}, {target}, field.columns()));
}

std::vector<std::string> read_cells(const std::string& table, const Field& field,
                                    std::int64_t column) {
  LineReader reader(table);
  std::vector<std::string> cells;
  for (std::string line; reader.next(line);) {
    check_utf8(reader.where(), line);
    const std::vector<std::string_view> columns = split_at_tabs(line);
    const std::int64_t last = column + field.columns() - 1;
    if (static_cast<std::int64_t>(columns.size()) < last) {
      fail(Fault::file,
           "{}: there are {} columns, but the source ends in column {}; choose another column",
           reader.where(), columns.size(), last);
    }
    std::string cell;
    for (std::int64_t at = column; at <= last; ++at) {
      cell += at == column ? "" : "\t";
      cell += columns[static_cast<std::size_t>(at - 1)];
    }
    cells.push_back(field.located(cell, table));
  }
  return cells;
}

}  // namespace heed
