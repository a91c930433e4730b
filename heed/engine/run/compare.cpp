#include "heed/engine/run/compare.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "heed/base/sha256.h"
#include "heed/base/suggest.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/run/recipe_file.h"
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

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// As part of a folder's name: other characters become _.
std::string in_name(const std::string& value, const std::string& also = "") {
  std::string name;
  for (const char letter : value) {
    const bool is_plain = is_letter(letter) || (letter >= '0' && letter <= '9') || letter == '.' ||
                          letter == '_' || also.find(letter) != std::string::npos;
    if (is_plain) {
      name += letter;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  name.erase(name.find_last_not_of('_') + 1);
  return name.empty() ? "_" : name;
}

std::string number_in_name(const std::string& value) { return in_name(value, "-+"); }

/// The settings in a value, by their dotted paths; a name stands for { kind = name }.
using Settings = std::map<std::string, std::string>;
void collect(const Json& value, const std::string& path, Settings& all) {
  const std::string below = path.empty() ? "" : path + ".";
  if (const auto* members = value.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      collect(member.value, below + member.key, all);
    }
  } else if (const auto* items = value.get<Json::Array>()) {
    for (size_t i = 0; i < items->size(); ++i) {
      collect((*items)[i], items->size() == 1 ? path : below + std::to_string(i), all);
    }
  } else if (const auto* text = value.get<std::string>()) {
    all[path.ends_with("kind") ? path : below + "kind"] = *text;
  } else if (const auto* number = value.get<double>()) {
    all[path] = fmt::format("{}", *number);  // JSON has no infinity
  } else {
    all[path] = value.write();
  }
}

/// The name of a part or of a list of parts; empty if the value is something else.
std::string part_name(const Json& value) {
  if (const auto* text = value.get<std::string>()) {
    const std::string name = in_name(*text);
    return is_letter(name.front()) ? name : "";
  }
  std::string name;
  if (const auto* members = value.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      name = member.key == "kind" ? part_name(member.value) : name;
    }
  } else if (const auto* items = value.get<Json::Array>()) {
    for (const Json& item : *items) {
      const std::string one = part_name(item);
      if (one.empty()) {
        return "";
      }
      name += (name.empty() ? "" : "_") + one;
    }
  }
  return name;
}

bool has_nothing(const Json& value) {
  const auto* text = value.get<std::string>();
  const auto* items = value.get<Json::Array>();
  const auto* members = value.get<Json::Object>();
  return (text != nullptr && text->empty()) || (items != nullptr && items->empty()) ||
         (members != nullptr && members->empty());
}

/// The values of an axis that have one name, and the settings of each.
struct Namesakes {
  std::vector<size_t> places;
  std::vector<Settings> settings;
};

/// The settings whose values are not the same in all; those of a single one.
std::vector<std::string> telling(const Namesakes& some) {
  std::map<std::string, std::map<std::string, size_t>> counts;  // of each value of each setting
  for (const Settings& one : some.settings) {
    for (const auto& [key, value] : one) {
      ++counts[key][value];
    }
  }
  counts.erase("kind");
  std::vector<std::string> keys;
  for (const auto& [key, values] : counts) {
    const size_t all = some.settings.size();
    if (all == 1 || values.begin()->second < all) {
      keys.push_back(key);
    }
  }
  return keys;
}

/// "self.score.kind" and "dot" → "self.score=dot"
std::string assigned(const std::string& key, const std::string& value) {
  const std::string shown = key.ends_with(".kind") ? key.substr(0, key.size() - 5) : key;
  return in_name(shown) + "=" + number_in_name(value);
}

/// Long names are cut, and then have a digest of the whole.
std::string shortened(const std::string& name) {
  constexpr size_t longest = 40;
  constexpr size_t digits = 8;
  return name.size() <= longest ? name
                                : name.substr(0, longest - digits - 1) + "~" +
                                      Sha256().update(name).finish_hex().substr(0, digits);
}

/// `label` is what the setting is called.
std::vector<std::string> names_of(const Axis& axis, const std::string& label) {
  std::vector<std::string> names;
  std::map<std::string, Namesakes> parts;
  for (const std::string& text : axis.values) {
    const Json value = setting_value(text).value_or(text);
    const std::string name = part_name(value);
    const bool is_table = value.kind() == Json::Kind::object;
    if (!name.empty() || is_table) {
      Namesakes& same = parts[name];
      same.places.push_back(names.size());
      collect(value, "", same.settings.emplace_back());
    }
    names.push_back(
        !name.empty() ? name : label + "=" + (has_nothing(value) ? "none" : number_in_name(text)));
  }
  for (const auto& [name, same] : parts) {
    if (!name.empty() && same.places.size() == 1) {
      continue;
    }
    const std::vector<std::string> keys = telling(same);
    for (size_t i = 0; i < same.places.size(); ++i) {
      std::string whole = name;
      for (const std::string& key : keys) {
        const auto found = same.settings[i].find(key);
        whole += found == same.settings[i].end()
                     ? ""
                     : (whole.empty() ? "" : ",") + assigned(key, found->second);
      }
      names[same.places[i]] = whole.empty() ? names[same.places[i]] : shortened(whole);
    }
  }
  return names;
}

/// As many of the path's last words as tell it from those of the other axes.
std::string label_of(std::span<const Axis> axes, const Axis& axis) {
  for (size_t dot = axis.path.rfind('.'); dot != std::string::npos && dot > 0;
       dot = axis.path.rfind('.', dot - 1)) {
    const std::string end = axis.path.substr(dot);
    const auto has_it = [&](const Axis& other) { return ("." + other.path).ends_with(end); };
    if (std::count_if(axes.begin(), axes.end(), has_it) == 1) {
      return in_name(end.substr(1));
    }
  }
  return in_name(axis.path);
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

std::vector<std::vector<std::string>> variant_names(std::span<const Axis> axes) {
  std::vector<std::vector<std::string>> all;
  for (const Axis& axis : axes) {
    all.push_back(names_of(axis, label_of(axes, axis)));
  }
  return all;
}

}  // namespace heed
