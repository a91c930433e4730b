#include "heed/cli/verbs.h"

namespace heed {

const Catalogue<Verb>& verbs() {
  static const Catalogue<Verb> all{
      "verb",
      {
          {"train", {}, "train a model as a recipe says", train_verb},
          {"translate", {}, "source lines in, target lines out", translate_verb},
          {"align", {}, "where the model looks for a given pair", align_verb},
          {"evaluate", {}, "how good output is: BLEU, chrF, TER, error rates, …", evaluate_verb},
          {"score", {}, "log-probability and perplexity of given pairs", score_verb},
          {"inspect", {}, "what a model file holds, and which parts there are", inspect_verb},
          {"models", {}, "the models that come with heed", models_verb},
          {"doctor", {}, "this machine, and whether heed works on it", doctor_verb},
          {"synth", {}, "examples of a made-up task", synth_verb},
          {"completion", {}, "completion for bash, zsh or fish", completion_verb},
          {"manual", {}, "man pages", manual_verb},
      }};
  return all;
}

}  // namespace heed
