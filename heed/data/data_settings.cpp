// The settings of a recipe's [data].
#include <string>
#include <vector>

#include "heed/config/limits.h"
#include "heed/data/data_plan.h"
#include "heed/data/synths.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

About or_none(About name) {
  name.choices.insert(name.choices.begin(), "");
  return name;
}

}  // namespace

void DataPlan::describe(Describer& d) {
  fields_.describe(d);
  d.setting("synth", synth_,
            or_none(name_from(synths().listing(), "a made-up task instead of files")));
  d.setting("synth_seed", synth_seed_,
            {.help = "seed of the made-up task", .least = 0, .most = most_signed_seed});
  d.setting(
      "train_examples", train_examples_,
      {.help = "examples of the made-up task for training", .least = 1, .most = most_examples});
  d.setting(
      "valid_examples", valid_examples_,
      {.help = "examples of the made-up task for validation", .least = 1, .most = most_examples});
  describe_files(d);
  describe_vocabularies(d);
  limits_.describe(d);
  d.setting("memory_mb", memory_mb_,
            {.help = "most megabytes of training text and tokens in memory; the rest is on disk, "
                     "in the run's folder, and is shuffled in windows of that size",
             .least = 1,
             .most = most_examples});
}

void DataPlan::describe_vocabularies(Describer& d) {
  d.setting("source_tokens", source_tokens_,
            name_from(tokenisers().listing(), "what a source token is"));
  d.setting("target_tokens", target_tokens_,
            or_none(name_from(tokenisers().listing(),
                              "what a target token is; empty: the same as a source token")));
  const std::string largest =
      fmt::format("largest size of the vocabulary; 0: no limit ({} for subwords)", usual_subwords);
  d.setting("source_vocabulary", source_vocabulary_, {.help = largest, .least = 0, .most = 1e7});
  d.setting("target_vocabulary", target_vocabulary_, {.help = largest, .least = 0, .most = 1e7});
  d.setting("min_count", min_count_,
            {.help = "rarer tokens become `<unk>`", .least = 1, .most = most_examples});
  d.setting("byte_fallback", byte_fallback_,
            {"bpe, unigram: spell text without a subword in bytes, so that nothing is unknown"});
  d.setting("character_coverage", character_coverage_,
            {.help = "bpe, unigram: the share of the text's characters that are subwords",
             .least = 0.98,
             .most = 1});
  d.setting("normalise", normalise_,
            {.help = "bpe, unigram: Unicode normalisation of the text",
             .choices = {"nfc", "nfkc", "nmt_nfkc", "none"}});
  d.setting("share_vocabulary", shares_vocabulary_, {"one vocabulary for both sides"});
  d.setting(
      "vocabulary_of", vocabulary_of_,
      {"a model file whose target vocabulary is used, so that the two can be used together, as "
       "a language model or in an ensemble; empty: it is learnt"});
  d.setting(
      "vocabulary_sample", vocabulary_sample_,
      {.help = "most pairs that vocabularies are learnt from, drawn from all training data; 0: all",
       .least = 0,
       .most = most_examples});
}

void DataPlan::describe_files(Describer& d) {
  d.setting("train", train_,
            {"files of training pairs (source TAB target), of source lines or, if there is no "
             "source, of texts; plain or .gz, - is standard input"});
  d.setting(
      "train_target", train_target_,
      {"files of target lines, if `train` holds source lines: one for each, or several for one"});
  d.setting("valid", valid_, {"files of validation pairs, or of source lines"});
  d.setting(
      "valid_target", valid_target_,
      {"files of target lines, if `valid` holds source lines; several for one are its references"});
  d.setting(
      "columns", columns_,
      {.help = "columns of source, target and further targets, from 1; empty: the file has exactly "
               "two (without a source: columns of targets; empty: the whole line)",
       .least = 1,
       .most = most_columns});
  d.setting("valid_columns", valid_columns_,
            {.help = "the same for `valid`, if it differs", .least = 1, .most = most_columns});
  d.setting("hold_out", hold_out_,
            {.help = "use this many rows at the end of `train` for validation, instead of `valid`",
             .least = 0,
             .most = most_examples});
  d.setting("group_references", groups_references_,
            {"join validation pairs with the same source into one with several references"});
  d.setting("hasty_copies", hasty_copies_,
            {.help = "share of pairs trained a second time, source in lower case and without final "
                     "punctuation",
             .least = 0,
             .most = 1});
  d.setting(
      "skip", skip_,
      {.help = "lines with these faults are left out and counted; any other fault is an error",
       .choices = row_faults()});
  d.setting("max_line_bytes", max_line_bytes_,
            {.help = "longer lines count as `long` (see skip)", .least = 1, .most = most_steps});
}

}  // namespace heed
