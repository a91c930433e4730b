// Which edits turn a reference into an output, and both written below each other (Levenshtein 1966):
//
//   d(i, j) = min(d(i−1, j−1) + [r_i ≠ h_j], d(i−1, j) + 1, d(i, j−1) + 1)
//
// From the end back, the first of these three that gives d(i, j) is taken: the same or another word, a
// deletion, an insertion. Where several alignments have the fewest edits, that decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/metric/aligned_units.h"

namespace heed {

/// The edits from left to right. A table of more than 2²⁸ cells is an Error.
std::vector<EditStep> edit_alignment(const std::vector<std::string>& reference,
                                     const std::vector<std::string>& output);

/// How many of each.
struct EditCounts {
  int64_t substitutions = 0;
  int64_t deletions = 0;
  int64_t insertions = 0;

  int64_t edits() const { return substitutions + deletions + insertions; }
};
EditCounts counts_of(const std::vector<EditStep>& edits);

/// What the edits leave below each other.
std::vector<AlignedUnits> aligned_units(const std::vector<std::string>& reference,
                                        const std::vector<std::string>& output);

/// Three lines, each ended by a newline, as NIST's sclite prints them: stars where a side has nothing, and
/// S, D and I below the edits.
///
///   REF: one *** two four
///   HYP: one too six four
///            I   S
std::string aligned_lines(const std::vector<AlignedUnits>& units);

/// [{"edit": "same", "reference": "one", "output": "one"},
///  {"edit": "insertion", "reference": null, "output": "too"}, …]
Json json_of(const std::vector<AlignedUnits>& units);

}  // namespace heed
