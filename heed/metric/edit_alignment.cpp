#include "heed/metric/edit_alignment.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

/// The step that gives d(i, j), in the order in which they are preferred.
EditStep step_of(bool is_same, uint32_t diagonal, uint32_t above, uint32_t left) {
  const uint32_t changed = diagonal + (is_same ? 0 : 1);
  if (changed <= above + 1 && changed <= left + 1) {
    return is_same ? EditStep::same : EditStep::substitution;
  }
  return above <= left ? EditStep::deletion : EditStep::insertion;
}

/// A word without breaks in its line.
std::string shown(const std::string& word) { return word == " " ? "␣" : word; }

}  // namespace

std::vector<EditStep> edit_alignment(const std::vector<std::string>& reference,
                                     const std::vector<std::string>& output) {
  const size_t rows = reference.size() + 1;
  const size_t columns = output.size() + 1;
  if (rows > (size_t{1} << 28) / columns) {
    fail(Fault::file,
         "alignment: a line of {} units and its reference of {} are too long to compare (at most "
         "2²⁸ pairs of units); split long lines",
         output.size(), reference.size());
  }
  std::vector<EditStep> steps(rows * columns, EditStep::insertion);
  std::vector<uint32_t> above(columns);
  std::vector<uint32_t> row(columns);
  for (size_t j = 0; j < columns; ++j) {
    row[j] = static_cast<uint32_t>(j);
  }
  for (size_t i = 1; i < rows; ++i) {
    above.swap(row);
    row[0] = static_cast<uint32_t>(i);
    steps[i * columns] = EditStep::deletion;
    for (size_t j = 1; j < columns; ++j) {
      const bool is_same = reference[i - 1] == output[j - 1];
      const EditStep step = step_of(is_same, above[j - 1], above[j], row[j - 1]);
      steps[i * columns + j] = step;
      row[j] = step == EditStep::deletion    ? above[j] + 1
               : step == EditStep::insertion ? row[j - 1] + 1
                                             : above[j - 1] + (is_same ? 0 : 1);
    }
  }
  std::vector<EditStep> edits;
  for (size_t i = reference.size(), j = output.size(); i > 0 || j > 0;) {
    const EditStep step = steps[i * columns + j];
    edits.push_back(step);
    i -= step == EditStep::insertion ? 0 : 1;
    j -= step == EditStep::deletion ? 0 : 1;
  }
  std::reverse(edits.begin(), edits.end());
  return edits;
}

EditCounts counts_of(const std::vector<EditStep>& edits) {
  const auto count = [&edits](EditStep kind) {
    return std::count(edits.begin(), edits.end(), kind);
  };
  return {count(EditStep::substitution), count(EditStep::deletion), count(EditStep::insertion)};
}

std::vector<AlignedUnits> aligned_units(const std::vector<std::string>& reference,
                                        const std::vector<std::string>& output) {
  std::vector<AlignedUnits> units;
  size_t i = 0;
  size_t j = 0;
  for (const EditStep edit : edit_alignment(reference, output)) {
    AlignedUnits& unit = units.emplace_back();
    unit.edit = edit;
    unit.reference = edit == EditStep::insertion ? "" : reference[i++];
    unit.output = edit == EditStep::deletion ? "" : output[j++];
  }
  return units;
}

std::string aligned_lines(const std::vector<AlignedUnits>& units) {
  std::string wanted = "REF:";
  std::string found = "HYP:";
  std::string marks = "    ";
  for (const AlignedUnits& unit : units) {
    const EditStep edit = unit.edit;
    const std::string left = shown(unit.reference);
    const std::string right = shown(unit.output);
    const size_t width = std::max({display_width(left), display_width(right), size_t{1}});
    const auto cell = [width](const std::string& text) {
      return " " + (text.empty() ? std::string(width, '*') : pad_right(text, width));
    };
    wanted += cell(left);
    found += cell(right);
    const char* const mark = edit == EditStep::substitution ? "S"
                             : edit == EditStep::deletion   ? "D"
                             : edit == EditStep::insertion  ? "I"
                                                            : " ";
    marks += " " + pad_right(mark, width);
  }
  const auto trimmed = [](const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  return trimmed(wanted) + trimmed(found) + trimmed(marks);
}

Json json_of(const std::vector<AlignedUnits>& units) {
  static constexpr const char* names[] = {"same", "substitution", "deletion", "insertion"};
  Json all = Json::array();
  for (const AlignedUnits& unit : units) {
    Json one = Json::object();
    one.set("edit", names[static_cast<size_t>(unit.edit)]);
    one.set("reference", unit.edit == EditStep::insertion ? Json() : Json(unit.reference));
    one.set("output", unit.edit == EditStep::deletion ? Json() : Json(unit.output));
    all.push(one);
  }
  return all;
}

}  // namespace heed
