// Pairs of texts from a made-up task, from one file of pairs or from two files whose lines belong
// together. Files are UTF-8, plain or gzip; "-" is standard input. Sides may be empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/field.h"
#include "heed/data/synth.h"

namespace heed {

struct SynthRange {
  std::string task;  // a name in the catalogue of made-up tasks
  std::uint64_t seed = 1;
  Split split = Split::train;
  std::int64_t count = 0;
};

/// Examples 0 … count − 1 of that task, seed and split.
std::vector<Example> made_up_examples(const SynthRange& range);

/// Reads one pair a line: source, tab, target. A Fault::file names the file and line of anything
/// else.
std::vector<Example> read_pairs(const std::string& path);

/// The same for a field of sources, whose cells may be several columns, or the names of files beside the
/// table. Such files are read once, so that a fault names the line. If there is no source, a line is a
/// target.
std::vector<Example> read_pairs(const std::string& path, const Field& source);

/// Reads one text a line, as the target of an example without a source.
std::vector<Example> read_texts(const std::string& path);

/// Line i of `source` is a cell of the field and belongs to line i of `target`; files of unequal length are an Error. Cells are
/// located and read as those of pairs.
std::vector<Example> read_parallel(const std::string& source, const std::string& target,
                                   const Field& field);

/// The source cell of every line of a table, as `field` expects it; `column` counts from 1.
std::vector<std::string> read_cells(const std::string& table, const Field& field,
                                    std::int64_t column);

}  // namespace heed
