// The command line as data, read from the parser that reads the command line: what completions and
// man pages are made of. Nothing here is written by hand, so nothing can go stale.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heed {

struct OptionRow {
  std::vector<std::string> names;    // "-b", "--beam"; of a positional its bare name
  std::string value;                 // "N", "FILE"; empty: a flag
  std::vector<std::string> choices;  // what the value may be; empty: anything
  std::string help;
  std::string fallback;  // its default, where it says one
  bool is_positional = false;
  bool is_required = false;
  bool is_file() const;  // whether file names complete it
};

struct VerbRow {
  std::string name;
  std::string help;
  std::vector<OptionRow> options;
  std::string examples;
};

/// Every verb of the whole program, in the catalogue's order.
std::vector<VerbRow> verb_table(const CLI::App& program);

}  // namespace heed
