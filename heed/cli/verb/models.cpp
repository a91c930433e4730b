// heed models: the models that come with heed, as their files describe themselves.
#include <fmt/core.h>

#include "heed/base/json.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/verbs.h"
#include "heed/text/display_width.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

std::string about(const ShelvedModel& model, const std::string& key) {
  const auto found = model.about.find(key);
  return found == model.about.end() ? "–" : make_visible(found->second);
}

Json object_of(const ShelvedModel& model) {
  Json object = Json::object();
  object.set("name", model.name);
  object.set("path", model.path);
  object.set("bytes", model.bytes);
  if (!model.fault.empty()) {
    object.set("fault", model.fault);
  }
  for (const auto& [key, value] : model.about) {
    object.set(key, value);
  }
  return object;
}

class ModelsVerb : public Verb {
 public:
  void options(Options& options) override {
    options.flag("--json", is_json_,
                 "print one JSON object a line, with the whole description of each model");
  }
  std::string description() const override {
    return "Lists the models that come with heed, with what each is for and how good it is. "
           "HEED_MODELS names further folders.";
  }
  bool computes() const override { return false; }
  std::string examples() const override {
    return "  heed models\n  heed models --json\n  heed translate -m NAME < in.txt\n";
  }
  int run() override {
    const std::vector<ShelvedModel> all = model_shelf().models();
    if (all.empty()) {
      log_info(
          "models: there are none beside this program, in its share/heed/models or in the "
          "folders of HEED_MODELS");
    } else if (!is_json_) {
      row("name", "languages", "domain", "MB", "score");
    }
    int code = 0;
    for (const ShelvedModel& model : all) {
      if (is_json_) {
        fmt::print("{}\n", object_of(model).write());
      } else if (model.fault.empty()) {
        row(model.name, about(model, "languages"), about(model, "domain"),
            fmt::format("{:.1f}", static_cast<double>(model.bytes) / 1e6), about(model, "score"));
      }
      if (!model.fault.empty()) {
        log_warning("{}", model.fault);
        code = static_cast<int>(Fault::file);
      }
    }
    return code;
  }

 private:
  static void row(const std::string& name, const std::string& languages, const std::string& domain,
                  const std::string& size, const std::string& score) {
    fmt::print("{} {} {} {} {}\n", pad_right(name, 20), pad_right(languages, 12),
               pad_right(domain, 34), pad_left(size, 6), score);
  }

  bool is_json_ = false;
};

}  // namespace

std::unique_ptr<Verb> models_verb() { return std::make_unique<ModelsVerb>(); }

}  // namespace heed
