// heed manual: man pages of the program and of every verb, made from the options themselves.
#include <fmt/core.h>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/cli/command_line.h"
#include "heed/cli/help.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class ManualVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("page", page_, "a verb; without it, the page of heed itself")
        .check(utf8_text())
        .choose_from(verbs().names())
        .takes("VERB");
    options.add("--into", folder_, "write every page into this folder: heed.1, heed-train.1, …")
        .takes("FOLDER");
  }
  std::string description() const override { return "Prints these man pages."; }
  bool computes() const override { return false; }
  std::string examples() const override {
    return "  heed manual translate | man -l -\n  heed manual --into share/man/man1\n";
  }
  int run() override {
    const std::vector<VerbRow> table = verb_table();
    const std::string version = program_version;
    if (!folder_.empty()) {
      make_directory(folder_);
      write_atomically(folder_ + "/heed.1", man_page(table, version));
      for (const VerbRow& verb : table) {
        write_atomically(folder_ + "/heed-" + verb.name + ".1", man_page(verb, version));
      }
      return 0;
    }
    if (page_.empty()) {
      fmt::print("{}", man_page(table, version));
      return 0;
    }
    const std::string name = verbs().at(page_).name;
    for (const VerbRow& verb : table) {
      if (verb.name == name) {
        fmt::print("{}", man_page(verb, version));
      }
    }
    return 0;
  }

 private:
  std::string page_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Verb> manual_verb() { return std::make_unique<ManualVerb>(); }

}  // namespace heed
