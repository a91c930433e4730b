#include "heed/engine/run/compare.h"

#include <algorithm>
#include <chrono>

#include "heed/base/suggest.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/run/variant_names.h"
#include "heed/metric/metrics.h"
#include "heed/nn/precision.h"

namespace heed {
namespace {

constexpr size_t most_variants = 256;

/// Splits at commas outside of brackets and quotes.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool is_quoted = false;
  for (const char letter : text) {
    is_quoted = letter == '"' ? !is_quoted : is_quoted;
    depth += is_quoted ? 0
                       : (letter == '[' || letter == '{'   ? 1
                          : letter == ']' || letter == '}' ? -1
                                                           : 0);
    if (letter == ',' && depth == 0 && !is_quoted) {
      values.emplace_back();
    } else {
      values.back() += letter;
    }
  }
  return values;
}

Axis axis_of(const std::string& text) {
  const size_t equals = text.find('=');
  Axis axis{text.substr(0, equals), {}};
  if (equals != std::string::npos) {
    axis.values = listed(text.substr(equals + 1));
  }
  const bool has_gap = std::find(axis.values.begin(), axis.values.end(), "") != axis.values.end();
  if (axis.path.empty() || axis.values.empty() || has_gap) {
    fail(Fault::usage,
         "compare: --over: \"{}\" must be PATH=VALUE,VALUE,…, such as "
         "model.decoder.attention.score=dot,additive",
         text);
  }
  return axis;
}

const Corpus& with_pairs(const Corpora& corpora) {
  if (corpora.valid.rows().empty()) {
    fail(Fault::usage,
         "the recipe has no validation data to judge the variants by; set data.valid or "
         "data.valid_examples");
  }
  return corpora.valid;
}

std::unique_ptr<Metric> judge_of(const Recipe& recipe, const std::string& metric) {
  auto judge = metrics().make(metric);
  judge->set(recipe.training.scoring);
  if (!judge->reads_text()) {
    fail(Fault::usage, "the metric {} does not compare text; choose one that does", metric);
  }
  return judge;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The value that was probably meant, or one of those there are.
std::string did_you_mean_or(const std::string& value, const std::vector<std::string>& values) {
  const std::string meant = did_you_mean(value, values);
  return meant.empty() ? fmt::format("; --over names {}, for example", values.front()) : meant;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<Variant> variants_of(std::span<const std::string> axes) {
  std::vector<Axis> parsed;
  for (const std::string& text : axes) {
    parsed.push_back(axis_of(text));
  }
  const std::vector<std::vector<std::string>> names = variant_names(parsed);
  std::vector<Variant> all(1);
  for (size_t a = 0; a < parsed.size(); ++a) {
    const Axis& axis = parsed[a];
    if (axis.values.size() > most_variants / all.size()) {
      fail(Fault::usage, "compare: there are more than {} variants; shorten a list of --over",
           most_variants);
    }
    std::vector<Variant> longer;
    for (const Variant& before : all) {
      for (size_t v = 0; v < axis.values.size(); ++v) {
        Variant& variant = longer.emplace_back(before);
        variant.name += (variant.name.empty() ? "" : "-") + names[a][v];
        variant.values.push_back(names[a][v]);
        variant.assignments.push_back(axis.path + "=" + axis.values[v]);
      }
    }
    all = std::move(longer);
  }
  std::vector<std::string> called;
  for (const Variant& variant : all) {
    called.push_back(variant.name);
  }
  std::sort(called.begin(), called.end());
  const auto twice = std::adjacent_find(called.begin(), called.end());
  if (twice != called.end()) {
    fail(Fault::usage, "compare: two variants are called {}; leave one out", *twice);
  }
  return all;
}

void give_own_settings(std::vector<Variant>& variants, std::span<const std::string> settings) {
  std::vector<std::string> values;
  for (const Variant& variant : variants) {
    values.insert(values.end(), variant.values.begin(), variant.values.end());
  }
  for (const std::string& text : settings) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) {
      fail(Fault::usage,
           "compare: --for: \"{}\" must be VALUE:PATH=VALUE, such as {}:training.steps=2000", text,
           values.front());
    }
    const std::string value = text.substr(0, colon);
    if (!has(values, value)) {
      fail(Fault::usage, "compare: --for: no variant has the value \"{}\"{}", value,
           did_you_mean_or(value, values));
    }
    for (Variant& variant : variants) {
      if (has(variant.values, value)) {
        variant.assignments.push_back(text.substr(colon + 1));
      }
    }
  }
}

void check_measured(const Recipe& recipe, const Corpora& corpora, const std::string& metric) {
  judge_of(recipe, metric);
  with_pairs(corpora);
}

Measured measure(Recipe& recipe, const RecipeRun& run, const std::string& metric) {
  const TrainedModel trained = load_model(run.folder + "/model.safetensors", run.place);
  serve(*trained.model, Precision::f32);
  const Corpora corpora = recipe.data.load(trained.fields, {"", run.roots});
  const std::vector<Row>& rows = with_pairs(corpora).rows();
  const auto judge = judge_of(recipe, metric);
  const auto most = static_cast<size_t>(recipe.training.validate_sentences);
  const size_t count = most > 0 ? std::min(most, rows.size()) : rows.size();
  std::vector<std::string> sources;
  std::vector<References> references;
  for (const Row& row : std::span(rows).first(count)) {
    sources.push_back(row.source);
    references.push_back(row.targets);
  }
  AnswerOptions how;
  how.search = recipe.training.search;
  how.is_cancelled = [&run] { return run.hooks.interrupt() != 0; };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> outputs;
  size_t words = 0;
  for (const Replies& found : answer(trained, sources, how)) {
    outputs.push_back(found.front().text);
    words += found.front().ids.size();
  }
  const double seconds = seconds_since(start);
  return {judge->score(outputs, references), count_parameters(*trained.model),
          static_cast<int64_t>(count), seconds > 0 ? static_cast<double>(words) / seconds : 0,
          sources.front()};
}

}  // namespace heed
