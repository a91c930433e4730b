// heed compare RECIPE.toml --over PATH=VALUE,VALUE …: trains the variants of a recipe, one run each, and shows what each is worth:
// a table, and the same sentences under all of them in one picture. Run again, it continues.
#include "heed/engine/run/compare.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/base/json_reader.h"
#include "heed/cli/drawing.h"
#include "heed/cli/environment.h"
#include "heed/cli/interrupt.h"
#include "heed/cli/log.h"
#include "heed/cli/progress.h"
#include "heed/cli/run_display.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/verbs.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/run/recipe_file.h"
#include "heed/engine/run/rehearsal.h"
#include "heed/engine/shelf/place.h"
#include "heed/metric/metrics.h"
#include "heed/nn/precision.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

/// What came of a variant.
struct Outcome {
  std::string name;
  std::string folder;  // of its run
  double seconds = 0;  // of training, over all calls
  std::optional<Measured> measured;
  std::string fault = {};  // why it was not measured
};

constexpr std::string_view absent = "–";

using Line = std::array<std::string, 5>;

Line line_of(const Outcome& one) {
  Line line = {one.name, std::string(absent), std::string(absent), format_duration(one.seconds),
               std::string(absent)};
  if (one.measured) {
    line[1] = fmt::format("{:.2f}", one.measured->score);
    line[2] = fmt::format("{}", one.measured->parameters);
    line[4] = fmt::format("{:.0f}", one.measured->words_a_second);
  }
  return line;
}

/// Lines, each ended by a newline; what was not measured is –.
std::string as_table(const std::vector<Outcome>& outcomes, const std::string& metric) {
  std::vector<Line> lines = {{"variant", metric, "parameters", "training", "words/s"}};
  std::transform(outcomes.begin(), outcomes.end(), std::back_inserter(lines), line_of);
  std::array<size_t, 5> widths{};
  for (const Line& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    out += pad_right(line[0], widths[0]);
    for (size_t c = 1; c < line.size(); ++c) {
      out += "  " + pad_left(line[c], widths[c]);
    }
    out += "\n";
  }
  return out;
}

/// The same as a JSON list in one line; what was not measured is null, and "error" says why.
std::string as_json(const std::vector<Outcome>& outcomes, const std::string& metric) {
  Json all = Json::array();
  for (const Outcome& one : outcomes) {
    Json row = Json::object();
    row.set("variant", one.name);
    row.set("model", one.measured ? Json(one.folder + "/model.safetensors") : Json());
    row.set("metric", metric);
    row.set("score", one.measured ? Json(one.measured->score) : Json());
    row.set("sentences", one.measured ? Json(one.measured->sentences) : Json());
    row.set("parameters", one.measured ? Json(one.measured->parameters) : Json());
    row.set("training_seconds", one.seconds);
    row.set("words_a_second", one.measured ? Json(one.measured->words_a_second) : Json());
    if (!one.fault.empty()) {
      row.set("error", one.fault);
    }
    all.push(std::move(row));
  }
  return all.write() + "\n";
}

/// How long a variant has been trained so far, which lies beside its run, and `more` after that.
double seconds_after(const std::string& path, double more) {
  double seconds = more;
  if (file_exists(path)) {
    const Json json = parse_json(read_file(path), path);
    seconds += JsonReader(json, path).at("seconds").number(0, 1e12);
  }
  if (more > 0) {
    Json json = Json::object();
    json.set("seconds", seconds);
    write_atomically(path, json.write() + "\n");
  }
  return seconds;
}

class CompareVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("recipe", recipe_, "the recipe: a TOML file, or the name of one that comes with heed")
        .required()
        .takes("FILE")
        .completes("recipes");
    options
        .add("--over", axes_,
             "a setting and the values to compare, such as "
             "model.decoder.attention.score=dot,additive; may be repeated: every combination is "
             "trained")
        .required()
        .takes("PATH=VALUE,…");
    options
        .add("--set", settings_,
             "override a setting of the recipe in all variants; may be repeated")
        .takes("PATH=VALUE");
    options
        .add("--for", own_settings_,
             "override a setting only in the variants that have a value, such as "
             "dot:training.clip=0.5; may be repeated")
        .takes("VALUE:PATH=VALUE");
    options.add("-o,--run", folder_, "the folder of the runs; by default runs/compare-RECIPE")
        .takes("FOLDER");
    options
        .add("--metric", metric_,
             "what judges the outputs for the validation data; by default the recipe's metric if "
             "it compares text, else exact_match")
        .check(one_of(metrics().listing()))
        .takes("NAME");
    options
        .add("--text", texts_,
             "a source to draw under every variant, such as a text, or the name of a picture; may "
             "be repeated; by default the first of the validation data")
        .check(utf8_text())
        .takes("TEXT");
    options.flag("--json", is_json_, "print the table as JSON");
    options.flag("-q,--quiet", is_quiet_, "print only the table, warnings and errors");
    options.under("Drawing");
    drawing_.options(options);
    drawing_effects_.watch(options);
    options.under("Machine");
    backend_option(options, backend_);
  }
  std::string description() const override {
    return "Trains variants of a recipe that differ in a setting or two, each in a run of its own "
           "that can be resumed, and ends with a table of their quality, size, time and speed, and "
           "with the same sources under each of them in one picture. A variant whose training "
           "diverges is – in the table, and the others go on; the exit code is then 4.";
  }
  std::string examples() const override {
    return "  heed compare recipes/dates-demo.toml \\\n"
           "    --over model.decoder.attention.score=dot,additive,cosine\n"
           "  heed compare recipes/dates-demo.toml \\\n"
           "    --over model.decoder.attention.normaliser=softmax,sparsemax \\\n"
           "    --text \"3rd of May 2021\" --svg both.svg\n"
           "  heed compare recipes/dates-demo.toml \\\n"
           "    --over 'model.decoder.attention.normaliser=softmax,{kind=\"hard\",mix=0.5}' \\\n"
           "    --for 'hard:training.objectives=[\"teacher_forcing\",\"reinforce\"]'\n"
           "  heed compare recipes/dates-transformer.toml \\\n"
           "    --over model.encoder.depth=1,2 --attention encoder --heads --png heads.png\n";
  }
  int run() override {
    if (is_quiet_) {
      set_verbosity(Verbosity::quiet);
    }
    folder_ = folder_.empty() ? "runs/compare-" + recipe_name(recipe_) : folder_;
    drawing_.check();
    std::vector<Variant> variants = variants_of(axes_);
    give_own_settings(variants, own_settings_);
    check(variants);
    std::vector<Outcome> outcomes;
    for (const Variant& variant : variants) {
      const std::string place = fmt::format("{} of {}", outcomes.size() + 1, variants.size());
      if (const int code = trained(variant, place, outcomes); code != 0) {
        return code;
      }
    }
    const std::string metric = metric_of(configured(variants.front()));
    fmt::print("{}", is_json_ ? as_json(outcomes, metric) : as_table(outcomes, metric));
    std::fflush(stdout);
    draw(outcomes);
    const bool is_whole = std::all_of(outcomes.begin(), outcomes.end(),
                                      [](const Outcome& one) { return one.measured.has_value(); });
    return is_whole ? 0 : static_cast<int>(Fault::diverged);
  }

 private:
  Recipe configured(const Variant& variant) const {
    std::vector<std::string> unheard;
    return configured(variant, unheard);
  }

  /// `replaced` gets a line for each setting of the file that another one replaces.
  Recipe configured(const Variant& variant, std::vector<std::string>& replaced) const {
    RecipeFile file = read_recipe(recipe_path(recipe_));
    for (const std::string& assignment : settings_) {
      override_setting(file, assignment);
    }
    for (const std::string& assignment : variant.assignments) {
      override_setting(file, assignment);
    }
    Recipe recipe;
    replaced = configure(recipe, file, model_shelf());
    return recipe;
  }

  /// What can be wrong with a variant, or with its drawing, is found before the first run.
  void check(const std::vector<Variant>& variants) const {
    std::vector<std::string> replaced;  // in the first variant; in the others as well
    configured(variants.front(), replaced);
    for (const std::string& line : replaced) {
      log_info("{}", line);
    }
    for (const Variant& variant : variants) {
      configured(variant);
    }
    Rehearsal rehearse;
    for (const Variant& variant : variants) {
      Recipe recipe = configured(variant);
      try {
        rehearse(recipe, run_of(variant), [&](const TrainedModel& model, const Corpora& corpora) {
          check_measured(recipe, corpora, metric_of(recipe));
          check_drawn(model, corpora.valid.rows().front().source);
        });
      } catch (const OutOfMemory&) {
        throw;
      } catch (const Error& error) {
        fail(error.fault(), "compare: the variant {}: {}", variant.name, error.what());
      }
    }
  }

  /// Fails if the model has not what is to be drawn. By default a model without attention is not drawn. `source` is one that it may
  /// read.
  void check_drawn(const TrainedModel& model, const std::string& source) const {
    for (const std::string& text : texts_) {
      const bool is_empty = model.fields.source->read(text).empty();
      if (is_empty && model.fields.source->has_tokens()) {
        fail(Fault::usage, "--text: there is nothing to read in \"{}\"; give a text with words",
             text);
      }
    }
    drawing_effects_.check("compare", *model.fields.source, drawing_);
    if (!drawing_.draws_found()) {
      check_attends(model, drawing_.which());
    } else if (is_drawn(model) && (drawing_.block() >= 0 || drawing_.head() >= 0)) {
      answer(model, {&source, 1}, searching());
    }
  }

  bool is_drawn(const TrainedModel& model) const {
    const bool attends = !drawing_.draws_found() || model.model->decoder().aligns();
    return attends && !model.fields.source->is_none();
  }

  AnswerOptions searching() const {
    AnswerOptions how;
    how.sees = true;
    how.search.weights = drawing_.draws_found();
    how.search.block = drawing_.block();
    how.search.head = drawing_.head();
    return how;
  }

  RecipeRun run_of(const Variant& variant) const {
    RecipeRun run;
    run.folder = folder_ + "/" + variant.name;
    run.name = recipe_name(recipe_) + "-" + variant.name;
    run.place = place_on(backend_);
    run.shelf = model_shelf();
    run.roots = path_roots(recipe_path(recipe_));
    run.hooks.interrupt = interrupt_exit_code;
    return run;
  }

  std::string metric_of(const Recipe& recipe) const {
    return !metric_.empty()                ? metric_
           : recipe.training.judges_text() ? recipe.training.metric
                                           : "exact_match";
  }

  /// Trains the variant, or what is missing of it, and measures it; the exit code of an interrupt. `place` is its place among all.
  int trained(const Variant& variant, const std::string& place,
              std::vector<Outcome>& outcomes) const {
    Recipe recipe = configured(variant);
    RecipeRun run = run_of(variant);
    RunDisplay display(variant.name, place);
    run.hooks = display.hooks();
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome{variant.name, run.folder, 0, {}};
    int code = 0;
    try {
      const TrainReport report = train(recipe, run);
      code = report.ending == Ending::interrupted ? report.exit_code : 0;
    } catch (const Error& error) {
      if (error.fault() != Fault::diverged) {
        throw;
      }
      outcome.fault = error.what();
    }
    display.clear();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    outcome.seconds =
        seconds_after(run.folder + "/compare.json", display.took_steps() ? took.count() : 0);
    if (code != 0) {
      log_info("to continue, run the same command again");
      return code;
    }
    if (!outcome.fault.empty()) {
      log_warning("{}: {}", variant.name, outcome.fault);
    } else {
      if (!display.took_steps()) {
        log_info("{} ({}): already trained", variant.name, place);
      }
      Recipe again = configured(variant);
      outcome.measured = measure(again, run, metric_of(again));
    }
    outcomes.push_back(std::move(outcome));
    return 0;
  }

  /// The sources under every variant that attends, in one picture; into the runs' folder if no file is named.
  void draw(const std::vector<Outcome>& outcomes) {
    std::vector<std::string> sources = texts_;
    std::vector<TrainedModel> models;
    std::vector<std::string> names;
    for (const Outcome& one : outcomes) {
      if (!one.measured) {
        continue;
      }
      if (sources.empty()) {
        sources = {one.measured->first_source};
      }
      TrainedModel model = load_model(one.folder + "/model.safetensors", place_on(backend_));
      if (is_drawn(model)) {
        serve(*model.model, Precision::f32);
        models.push_back(std::move(model));
        names.push_back(one.name);
      } else {
        log_info("{} is not drawn: it has no attention", one.name);
      }
    }
    if (models.empty()) {
      if (drawing_.is_wanted()) {
        log_warning("nothing is drawn: no variant has attention");
      }
      return;
    }
    std::vector<Drawing::Answered> all;
    for (const std::string& source : sources) {
      Drawing::Answered& one = all.emplace_back(Drawing::Answered{source, {}});
      for (size_t i = 0; i < models.size(); ++i) {
        auto said = answer(models[i], {&source, 1}, searching());
        one.answers.push_back({names[i], models[i], std::move(said.front().best.front())});
      }
    }
    drawing_.draw_into(folder_ + "/compare.svg");
    drawing_.show_side_by_side(all);
    if (!drawing_.files().empty()) {
      log_info("drawn: {}", drawing_.files());
    }
  }

  std::string recipe_;
  std::vector<std::string> axes_;
  std::vector<std::string> settings_;
  std::vector<std::string> own_settings_;
  std::vector<std::string> texts_;
  std::string folder_;
  std::string metric_;
  std::string backend_ = "cpu";
  bool is_json_ = false;
  bool is_quiet_ = false;
  Drawing drawing_;
  DrawingEffects drawing_effects_;
};

}  // namespace

std::unique_ptr<Verb> compare_verb() { return std::make_unique<CompareVerb>(); }

}  // namespace heed
