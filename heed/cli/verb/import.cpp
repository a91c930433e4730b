// heed import FOLDER -o OUT: a model of another toolkit as a model file.
#include "heed/import/import.h"

#include <fmt/core.h>

#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/cli/output.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/verbs.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

class ImportVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("folder", folder_, "the folder of the model, with its settings and vocabularies")
        .required()
        .takes("FOLDER");
    options.add("-o,--output", into_, "the model file to write").required().takes("FILE");
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Reads a model of another toolkit and writes a model file that says the same; heed "
           "inspect --parts lists the families and formats that it knows. Nothing in the folder is "
           "executed, and a setting that heed does not know is refused by its name. Every verb "
           "also takes such a folder as -m FOLDER, and imports it in memory.";
  }
  std::string examples() const override {
    return "  heed import opus-mt-en-fr -o en-fr.safetensors\n"
           "  echo \"The house is small.\" | heed translate -m en-fr.safetensors\n"
           "  echo \"The house is small.\" | heed translate -m opus-mt-en-fr\n";
  }

  int run() override {
    if (!is_foreign_model(folder_)) {
      fail(Fault::file, "import: {} is no folder with a model of another toolkit; give one",
           folder_);
    }
    std::vector<std::string> inputs;
    for (const std::string& name : list_directory(folder_)) {
      inputs.push_back((std::filesystem::path(folder_) / name).string());
    }
    check_is_no_input("import", into_, inputs);
    const ImportedModel imported = import_model(folder_, place_on(backend_));
    write_safetensors(into_, imported.contents);
    fmt::print("family      {}\n", imported.family);
    fmt::print("parameters  {}\n", count_parameters(*imported.trained.model));
    fmt::print("stored as   {}\n", imported.trained.stored);
    fmt::print("source      {}\n", make_visible(imported.trained.fields.source->summary()));
    fmt::print("target      {}\n", make_visible(imported.trained.fields.target->summary()));
    fmt::print("bytes       {}\n", std::filesystem::file_size(into_));
    return 0;
  }

 private:
  std::string folder_;
  std::string into_;
  std::string backend_ = "cpu";
};

}  // namespace

std::unique_ptr<Verb> import_verb() { return std::make_unique<ImportVerb>(); }

}  // namespace heed
