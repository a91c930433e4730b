#include "heed/cli/verb_table.h"

#include "heed/cli/verbs.h"

namespace heed {

VerbRow verb_row(const std::string& name, CommonOptions& common) {
  const auto& entry = verbs().at(name);
  VerbRow row{entry.name, entry.formula, "", entry.make(), {}};
  row.examples = row.verb->examples();
  row.options.flag("-h,--help", common.helps, "print this help");
  row.verb->options(row.options);
  if (!row.verb->computes()) {
    return row;
  }
  row.options.under("Machine");
  row.options.flag("-v,--verbose", common.is_verbose,
                   "also say what is loaded and how long it takes");
  row.options
      .add("--threads", common.threads, "threads to compute with; 0: as many as the machine has")
      .check(whole(0, 1024));
  row.options
      .add("--memory-limit", common.memory_megabytes,
           "most megabytes that tensors may use; 0: no limit")
      .check(whole(0, 1'000'000'000))
      .takes("MB");
  return row;
}

std::vector<VerbRow> verb_table() {
  static CommonOptions nobody;
  std::vector<VerbRow> rows;
  for (const auto& entry : verbs()) {
    rows.push_back(verb_row(entry.name, nobody));
  }
  return rows;
}

}  // namespace heed
