// Variants of a recipe, which differ in the settings that are compared, and what each of them is worth.
//
//   --over model.decoder.attention.score=dot,additive --over training.seed=1,2     makes four
//   --for additive:training.steps=2000                                             changes the two whose score is additive
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/engine/run/recipe.h"

namespace heed {

struct Variant {
  std::string name;  // "additive-depth=2": its values (variant_names); the name of its run, too
  std::vector<std::string> values;       // "additive", "depth=2"
  std::vector<std::string> assignments;  // "model.decoder.attention.score=additive", …
};

/// Every combination of the values of all axes, each `PATH=VALUE,VALUE,…`; the last axis changes fastest. A comma inside [] or {}
/// or a quoted text belongs to the value. Fault::usage where an axis has no path or no value, or where there are more than 256.
std::vector<Variant> variants_of(std::span<const std::string> axes);

/// Gives the variants that have a value settings of their own, each `VALUE:PATH=VALUE`. Fault::usage where no variant has it.
void give_own_settings(std::vector<Variant>& variants, std::span<const std::string> settings);

/// What a trained variant does with the recipe's validation data.
struct Measured {
  double score = 0;  // of the metric
  int64_t parameters = 0;
  int64_t sentences = 0;
  double words_a_second = 0;      // target tokens that its search writes
  std::string first_source = {};  // of the validation data
};

/// Fault::usage where the recipe has no validation data, or the metric does not compare text.
void check_measured(const Recipe& recipe, const Corpora& corpora, const std::string& metric);
/// `metric` judges the outputs of the model that lies in run.folder, searched as the recipe says. Fails as check_measured does.
Measured measure(Recipe& recipe, const RecipeRun& run, const std::string& metric);

// What a value that is compared is called in tables, pictures and folders:
//
//   dot                                     dot           a name explains itself,
//   2                                       depth=2       a number or a truth does not,
//   { kind = "local_m", window = 2 }        local_m       a part has its kind,
//   the same beside a window of 4           local_m,window=2

/// A setting and its values, as --set takes them.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// The names of every axis's values. Characters that a folder's name should not have become _, by which two names may become equal.
std::vector<std::vector<std::string>> variant_names(std::span<const Axis> axes);

}  // namespace heed
