// The catalogue of verbs: the one list. To add one: its file in verb/, and its line in verbs.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/catalogue.h"
#include "heed/cli/options.h"
#include "heed/cli/verb.h"

namespace heed {

const Catalogue<Verb>& verbs();

// The whole program as data: every verb with its options.

struct VerbRow {
  std::string name;
  std::string help;
  std::string examples;
  std::shared_ptr<Verb> verb;  // its options fill it
  Options options;
};

/// The options that every verb has.
struct CommonOptions {
  bool helps = false;
  bool is_verbose = false;
  int threads = 0;               // 0: as many as the machine has
  int64_t memory_megabytes = 0;  // 0: no limit
};

/// One verb of the catalogue; its options fill the verb and `common`.
VerbRow verb_row(const std::string& name, CommonOptions& common);
/// All verbs in the catalogue's order, for help, completions and man pages.
std::vector<VerbRow> verb_table();

}  // namespace heed
