// heed manual: man pages of the program and of every verb, made from the options themselves.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/cli/argument.h"
#include "heed/cli/man_page.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class ManualVerb : public Verb {
 public:
  void options(CLI::App& app) override {
    app.add_option("page", page_, "a verb; without it, the page of heed itself")
        ->check(utf8_text())
        ->type_name("VERB");
    app.add_option("--into", folder_, "write every page into this folder: heed.1, heed-train.1, …")
        ->type_name("FOLDER");
    program_ = app.get_parent();
  }
  std::string examples() const override {
    return "  heed manual translate | man -l -\n  heed manual --into share/man/man1\n";
  }
  int run() override {
    const std::vector<VerbRow> table = verb_table(*program_);
    const std::string version = program_->version();
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
  const CLI::App* program_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> manual_verb() { return std::make_unique<ManualVerb>(); }

}  // namespace heed
