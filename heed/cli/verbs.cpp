#include "heed/cli/verbs.h"

namespace heed {

const Catalogue<Verb>& verbs() {
  static const Catalogue<Verb> all{
      "verb",
      {
          {"train", {}, "train a model as a recipe says", train_verb},
          {"translate", {}, "translate lines of text", translate_verb},
          {"caption", {}, "say what pictures show", caption_verb},
          {"transcribe", {}, "write down what recordings say", transcribe_verb},
          {"label", {}, "label lines, or every token of them", label_verb},
          {"align", {}, "show where the model looks for a given pair", align_verb},
          {"evaluate", {}, "measure output: BLEU, chrF, TER, error rates, …", evaluate_verb},
          {"score", {}, "print the log-probability and perplexity of pairs", score_verb},
          {"inspect", {}, "show what a model file holds, or list all parts", inspect_verb},
          {"models", {}, "list the models that come with heed", models_verb},
          {"doctor", {}, "describe this machine and test heed on it", doctor_verb},
          {"synth", {}, "print examples of a made-up task", synth_verb},
          {"completion", {}, "print a completion script for bash, zsh or fish", completion_verb},
          {"manual", {}, "print man pages", manual_verb},
      }};
  return all;
}

}  // namespace heed
