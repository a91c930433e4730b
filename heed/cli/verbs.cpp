#include "heed/cli/verbs.h"

namespace heed {

const Catalogue<Verb>& verbs() {
  static const Catalogue<Verb> all{
      "verb",
      {
          {"train", {}, "train a model as a recipe says", HEED_MADE_BY(Verb, train_verb)},
          {"translate", {}, "translate lines of text", HEED_MADE_BY(Verb, translate_verb)},
          {"caption", {}, "say what pictures show", HEED_MADE_BY(Verb, caption_verb)},
          {"transcribe", {}, "write down what recordings say", HEED_MADE_BY(Verb, transcribe_verb)},
          {"label", {}, "label lines, or every token of them", HEED_MADE_BY(Verb, label_verb)},
          {"serve", {}, "answer over HTTP", HEED_MADE_BY(Verb, serve_verb)},
          {"align",
           {},
           "show where the model looks for a given pair",
           HEED_MADE_BY(Verb, align_verb)},
          {"evaluate",
           {},
           "measure output: BLEU, chrF, TER, error rates, …",
           HEED_MADE_BY(Verb, evaluate_verb)},
          {"score",
           {},
           "print the log-probability and perplexity of pairs",
           HEED_MADE_BY(Verb, score_verb)},
          {"compare",
           {},
           "train variants of a recipe and compare them",
           HEED_MADE_BY(Verb, compare_verb)},
          {"plot",
           {},
           "draw the losses and scores of runs over their steps",
           HEED_MADE_BY(Verb, plot_verb)},
          {"inspect",
           {},
           "show what a model file holds, or list all parts",
           HEED_MADE_BY(Verb, inspect_verb)},
          {"quantise",
           {},
           "write a model into a smaller file, and check it",
           HEED_MADE_BY(Verb, quantise_verb)},
          {"import",
           {},
           "turn a model of another toolkit into a model file",
           HEED_MADE_BY(Verb, import_verb)},
          {"models", {}, "list the models that come with heed", HEED_MADE_BY(Verb, models_verb)},
          {"doctor",
           {},
           "describe this machine and test heed on it",
           HEED_MADE_BY(Verb, doctor_verb)},
          {"synth", {}, "print examples of a made-up task", HEED_MADE_BY(Verb, synth_verb)},
          {"completion",
           {},
           "print a completion script for bash, zsh or fish",
           HEED_MADE_BY(Verb, completion_verb)},
          {"manual", {}, "print man pages", HEED_MADE_BY(Verb, manual_verb)},
      }};
  return all;
}

VerbRow verb_row(const std::string& name, CommonOptions& common) {
  const auto& entry = verbs().at(name);
  VerbRow row{entry.name, entry.formula, "", entry.make(), {}};
  row.examples = row.verb->examples();
  row.options.flag("-h,--help", common.helps, "print this help");
  row.verb->options(row.options);
  if (!row.verb->computes()) {
    return row;
  }
  row.options.under("Machine");
  row.options.flag("-v,--verbose", common.is_verbose,
                   "also say what is loaded and how long it takes");
  row.options
      .add("--threads", common.threads, "threads to compute with; 0: as many as the machine has")
      .check(whole(0, 1024));
  row.options
      .add("--memory-limit", common.memory_megabytes,
           "most megabytes that tensors may use; 0: no limit")
      .check(whole(0, 1'000'000'000))
      .takes("MB");
  return row;
}

std::vector<VerbRow> verb_table() {
  static CommonOptions nobody;
  std::vector<VerbRow> rows;
  for (const auto& entry : verbs()) {
    rows.push_back(verb_row(entry.name, nobody));
  }
  return rows;
}

}  // namespace heed
