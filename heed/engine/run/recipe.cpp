#include "heed/engine/run/recipe.h"

#include <algorithm>
#include <optional>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/run/drawn_sample.h"
#include "heed/engine/run/prepare.h"

namespace heed {

Recipe::Recipe() : model(std::make_unique<Model>()) {}

void ModelAbout::describe(Describer& d) {
  d.setting("languages", languages_, {"source and target language, such as \"en-zh\""});
  d.setting(
      "source_language", source_language_,
      {"the language of sources as a code, such as \"en\" or \"zh-Hans\" (BCP 47), for programs"});
  d.setting("target_language", target_language_, {"the language of targets as a code"});
  d.setting("domain", domain_, {"the kind of texts it is for"});
  d.setting("licence", licence_, {"licence of its data, and whom to credit"});
}

namespace {

/// Two or three letters, and parts of letters and digits behind hyphens.
bool is_language_code(std::string_view code) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0, end = 0; at <= code.size(); at = end + 1) {
    end = std::min(code.find('-', at), code.size());
    const std::string_view part = code.substr(at, end - at);
    const bool is_first = at == 0;
    const bool has_length =
        is_first ? part.size() == 2 || part.size() == 3 : !part.empty() && part.size() <= 8;
    if (!has_length || !std::all_of(part.begin(), part.end(), [&](char c) {
          return is_letter(c) || (!is_first && is_digit(c));
        })) {
      return false;
    }
  }
  return true;
}

}  // namespace

void ModelAbout::check() const {
  for (const auto& [name, code] : {std::pair{"source_language", &source_language_},
                                   std::pair{"target_language", &target_language_}}) {
    if (!code->empty() && !is_language_code(*code)) {
      fail(Fault::usage,
           "about.{}: \"{}\" is no code of a language; give one such as \"en\" or \"zh-Hans\", and "
           "its name in languages",
           name, *code);
    }
  }
}

std::map<std::string, std::string> ModelAbout::words() const {
  std::map<std::string, std::string> all = {{"languages", languages_},
                                            {"source_language", source_language_},
                                            {"target_language", target_language_},
                                            {"domain", domain_},
                                            {"licence", licence_}};
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

void configure(Recipe& recipe, const Json& tree, const ModelShelf& shelf) {
  Json plain = Json::object();
  const JsonReader reader(tree, "recipe", Fault::usage);
  const auto training = tree.kind() == Json::Kind::object ? reader.find("training") : std::nullopt;
  const auto init =
      training && training->kind() == Json::Kind::object ? training->find("init") : std::nullopt;
  if (init && init->kind() == Json::Kind::text && !init->text().empty()) {
    const std::string path = shelf.path_of(init->text(), "training.init");
    const SafetensorsFile header{read_safetensors_metadata(path), {}};
    apply(*recipe.model, model_config_from(header, path), "model");
  }
  apply(recipe, tree);
  recipe.about.check();
}

void Recipe::describe(Describer& d) {
  d.child("about", about);
  d.child("data", data);
  d.child("teacher", teacher);
  d.child("model", *model);
  d.child("training", training);
  d.child("search", search);
}

Json data_settings(Recipe& recipe) {
  Json settings = config_of(recipe.data);
  if (recipe.teacher.is_there()) {
    settings.set("teacher", config_of(recipe.teacher));
  }
  return settings;
}

namespace {

AnswerOptions searching(const SearchOptions& search) {
  AnswerOptions how;
  how.search = search;
  return how;
}

/// The best reply to every line; warnings go to the hooks.
std::vector<Reply> best_of(const TrainedModel& trained, std::span<const std::string> lines,
                           const AnswerOptions& how, const RunHooks& hooks) {
  std::vector<Reply> best;
  for (Replies& found : answer(trained, lines, how)) {
    for (const std::string& warning : found.warnings) {
      hooks.warn(warning);
    }
    best.push_back(std::move(found.best.front()));
  }
  return best;
}

/// An interrupt ends it with an Error of kind `cancelled`.
Translate translating(const SearchOptions& search, const TrainedModel& trained,
                      const RunHooks& hooks) {
  return [&search, &trained, &hooks](std::span<const std::string> lines) {
    AnswerOptions how = searching(search);
    how.is_cancelled = [&hooks] { return hooks.interrupt() != 0; };
    std::vector<std::string> texts;
    for (Reply& best : best_of(trained, lines, how, hooks)) {
      texts.push_back(std::move(best.text));
    }
    return texts;
  };
}

Show showing(const Training& training, const TrainedModel& trained, const RunHooks& hooks) {
  return [&training, &trained, &hooks](std::span<const std::string> lines) {
    AnswerOptions how = searching(training.search);
    how.search.weights = true;
    std::vector<Sample> samples;
    const std::vector<Reply> best = best_of(trained, lines, how, hooks);
    for (size_t i = 0; i < best.size(); ++i) {
      samples.push_back(drawn_sample(best[i], trained, lines[i], hooks));
    }
    return samples;
  };
}

/// If the recipe's [search] is another than the one that validated, the best model is measured with it,
/// and its file says that score.
void measure_as_searched(const Recipe& recipe, const RecipeRun& run, const Corpus& valid) {
  const Training& training = recipe.training;
  const std::string how = summary(recipe.search);
  const std::string path = run.folder + "/model.safetensors";
  if (how == summary(training.search) || !training.judges_text() || !file_exists(path)) {
    return;
  }
  TrainedModel best = load_model(path, run.place);
  const std::string in_this_way = " (" + how + ")";
  if (best.about["score"].ends_with(in_this_way)) {
    return;  // an earlier call of the same run has measured it
  }
  const Validator validator(training, valid, translating(recipe.search, best, run.hooks));
  const auto goes_on = [&run] { return run.hooks.interrupt() == 0; };
  if (!validator.is_there()) {
    return;
  }
  if (const std::optional<double> score = validator.score(goes_on)) {
    const std::string sentence = fmt::format("{} {:.6g}", training.metric, *score) + in_this_way;
    run.hooks.say(fmt::format("the best model, searched as [search] says: {}", sentence));
    best.about["score"] = sentence;
    save_model(path, best);
  }
}

}  // namespace

TrainReport train(Recipe& recipe, const RecipeRun& run) {
  Outset outset;
  TrainOptions options;
  options.run = run.folder;
  options.data = data_settings(recipe);
  options.hooks = run.hooks;
  // Claimed first, so that nobody waits for data to be loaded only to hear that it cannot be had.
  const auto claimed = std::make_shared<RunFolder>(run.folder);
  options.claimed = claimed;
  std::optional<Trainer> trainer;
  try {
    set_out(outset, recipe, run, {run.folder, run.folder});
    options.found = std::move(outset.found);
    options.translate = translating(recipe.training.search, outset.trained, run.hooks);
    options.show = showing(recipe.training, outset.trained, run.hooks);
    trainer.emplace(std::move(options), recipe.training, outset.trained, outset.corpora->train,
                    outset.corpora->valid);
  } catch (const Error& error) {
    claimed->give_up();
    if (error.fault() != Fault::cancelled || run.hooks.interrupt() == 0) {
      throw;
    }
    run.hooks.say(error.what());
    return {.ending = Ending::interrupted,
            .why = error.what(),
            .exit_code = run.hooks.interrupt(),
            .state = {},
            .checkpoint = {}};
  } catch (...) {
    claimed->give_up();
    throw;
  }
  TrainReport report = trainer->run();
  if (report.ending == Ending::finished || report.ending == Ending::stopped_early) {
    measure_as_searched(recipe, run, outset.corpora->valid);
  }
  return report;
}

Estimate estimate(Recipe& recipe, const RecipeRun& run) {
  Outset outset;
  set_out(outset, recipe, run, {.data = "", .front = "", .is_trial = true});
  return estimate_run(data_settings(recipe), recipe.training, outset.trained, outset.corpora->train,
                      outset.corpora->valid,
                      translating(recipe.training.search, outset.trained, run.hooks));
}

}  // namespace heed
