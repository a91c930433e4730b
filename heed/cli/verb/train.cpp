// heed train RECIPE.toml: trains as the recipe says, and resumes an interrupted run.
#include <fmt/core.h>

#include <optional>

#include "heed/base/file.h"
#include "heed/cli/environment.h"
#include "heed/cli/interrupt.h"
#include "heed/cli/log.h"
#include "heed/cli/progress.h"
#include "heed/cli/run_display.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/verbs.h"
#include "heed/config/explain.h"
#include "heed/engine/run/foreign_words.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/run/recipe_file.h"
#include "heed/engine/shelf/place.h"
#include "heed/train/run_folder.h"

namespace heed {
namespace {

class TrainVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("recipe", recipe_, "the recipe: a TOML file, or the name of one that comes with heed")
        .required()
        .takes("FILE")
        .completes("recipes");
    options.add("-o,--run", run_.folder, "the run's folder; by default runs/RECIPE")
        .takes("FOLDER");
    options
        .add("--set", settings_,
             "override a setting of the recipe, such as model.encoder.width=64; may be repeated")
        .takes("PATH=VALUE")
        .completes("settings");
    options.flag("--fresh", is_fresh_, "set an earlier run aside and start over");
    options.flag("--dry-run", is_dry_,
                 "build the model, try a few steps, print what the run will take, and stop");
    options.flag("--show", shows_, "print every setting with its value and meaning, and stop");
    options.flag("-q,--quiet", is_quiet_, "print only warnings and errors");
    options.about_unknown(as_settings);
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Trains a model as a recipe says and keeps the run in a folder: checkpoints, the best "
           "model (model.safetensors), lines of numbers (metrics.jsonl), samples with pictures of "
           "their attention, and event files for TensorBoard. A run that was stopped goes on when "
           "the same command is given again, with the same result as if it had not been stopped. "
           "`--dry-run` says beforehand how long it will take.";
  }
  std::string examples() const override {
    return "  heed train dates-demo\n"
           "  heed train recipes/dates-additive.toml\n"
           "  heed train recipes/reverse-dot.toml --set training.steps=500 -o runs/short\n"
           "  heed train recipes/reverse-dot.toml --dry-run\n"
           "  heed train recipes/reverse-dot.toml --show\n";
  }
  int run() override {
    run_.shelf = model_shelf();
    recipe_ = recipe_path(recipe_);
    run_.roots = path_roots(recipe_);
    log_detail("the recipe is {}", recipe_);
    RecipeFile file = read();
    for (const std::string& assignment : settings_) {
      override_setting(file, assignment);
    }
    try {
      return go(file);
    } catch (const Error& error) {
      const std::string missing = missing_input(file, file.tree, "");
      if (error.fault() == Fault::file && !missing.empty() && has_commands()) {
        fail(Fault::file, "{}; the head of {} says how to make {}", error.what(), recipe_, missing);
      }
      throw;
    }
  }

 private:
  /// A model in place of the recipe is told so, rather than that it is no TOML.
  RecipeFile read() const {
    if (recipe_.ends_with(".safetensors") && is_regular_file(recipe_)) {
      fail(Fault::usage, "{}: this is no recipe (a TOML file of at most 1 MB)", recipe_);
    }
    return read_recipe(recipe_);
  }

  /// The first file below runs/ that the recipe's file names, not --set, and that does not exist. `path` is where `value` is.
  static std::string missing_input(const RecipeFile& file, const Json& value,
                                   const std::string& path) {
    if (const auto* text = value.get<std::string>()) {
      const bool is_ours = !file.place_of(path).is_behind_the_file();
      return is_ours && text->starts_with("runs/") && !file_exists(*text) &&
                     !directory_exists(*text)
                 ? *text
                 : "";
    }
    std::string missing;
    if (const auto* items = value.get<Json::Array>()) {
      for (size_t i = 0; i < items->size() && missing.empty(); ++i) {
        missing = missing_input(file, (*items)[i], path);
      }
    }
    if (const auto* members = value.get<Json::Object>()) {
      for (size_t i = 0; i < members->size() && missing.empty(); ++i) {
        const Json::Member& one = (*members)[i];
        missing = missing_input(file, one.value, path.empty() ? one.key : path + "." + one.key);
      }
    }
    return missing;
  }

  /// Whether the recipe begins with comments that have commands.
  bool has_commands() const {
    if (recipe_ == "-") {
      return false;
    }
    const std::string text = read_file(recipe_);
    return text.starts_with("#") && text.find("heed train ") < text.find("\n\n");
  }

  int go(const RecipeFile& file) {
    if (is_quiet_) {
      set_verbosity(Verbosity::quiet);
    }
    Recipe recipe;
    for (const std::string& replaced : configure(recipe, file, run_.shelf)) {
      log_info("{}", replaced);
    }
    if (shows_) {
      show(recipe);
      return 0;
    }
    run_.name = recipe_name(recipe_);
    if (run_.folder.empty()) {
      run_.folder = "runs/" + run_.name;
    }
    RunDisplay display;
    run_.hooks = display.hooks();
    run_.place = place_on(backend_);
    if (is_dry_) {
      show(estimate(recipe, run_), run_.folder);
      return 0;
    }
    if (is_fresh_) {
      const std::string aside = set_aside(run_.folder);
      log_info("{}", aside.empty() ? run_.folder + ": there is no earlier run to set aside"
                                   : "the earlier run is now " + aside);
    }
    const TrainReport report = train(recipe, run_);
    display.clear();
    if (report.ending == Ending::interrupted) {
      log_info("to continue, run the same command again");
    } else if (const std::string model = run_.folder + "/model.safetensors"; file_exists(model)) {
      log_info("the model is {}", model);
    }
    return report.exit_code;
  }

  static void show(Recipe& recipe) {
    for (const SettingHelp& line : explain(recipe)) {
      fmt::print("{:<44} {:<16} {} ({})\n", line.path, line.value, line.help, line.allowed);
    }
  }

  static std::string sized(uint64_t bytes) {
    const auto size = static_cast<double>(bytes);
    return size < 1e6   ? fmt::format("{:.1f} kB", size / 1e3)
           : size < 1e9 ? fmt::format("{:.1f} MB", size / 1e6)
                        : fmt::format("{:.1f} GB", size / 1e9);
  }

  static void show(const Estimate& e, const std::string& folder) {
    const uint64_t room = free_bytes(folder);
    fmt::print("parameters  {}\n", e.parameters);
    fmt::print("memory      {}\n", sized(e.memory_bytes));
    fmt::print("disk        {} in {} at most, where {} are free: {} a checkpoint, {} the model{}\n",
               sized(e.disk_bytes), folder, sized(room), sized(e.checkpoint_bytes),
               sized(e.model_bytes),
               e.kept_bytes > 0 ? ", " + sized(e.kept_bytes) + " features that are kept" : "");
    fmt::print("speed       {} a step, {:.0f} target tokens/s (over {} steps)\n",
               format_short_time(e.step_seconds), e.tokens_per_second, e.measured_steps);
    fmt::print("time        about {}: {} steps", format_duration(e.seconds()), e.steps);
    if (e.validations > 0) {
      fmt::print(" and {} validations of {}", e.validations, format_duration(e.validation_seconds));
    }
    if (e.once_seconds > 0) {
      fmt::print(", and {} for features that are computed once", format_duration(e.once_seconds));
    }
    fmt::print("\n");
    if (room < e.disk_bytes) {
      log_warning("{} needs {} and has {}; make room, or lower training.keep", folder,
                  sized(e.disk_bytes), sized(room));
    }
  }

  std::string recipe_;
  std::vector<std::string> settings_;
  std::string backend_ = "cpu";
  RecipeRun run_;
  bool is_fresh_ = false;
  bool is_dry_ = false;
  bool shows_ = false;
  bool is_quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> train_verb() { return std::make_unique<TrainVerb>(); }

}  // namespace heed
