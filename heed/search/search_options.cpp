#include "heed/search/search_options.h"

#include "heed/config/explain.h"
#include "heed/config/limits.h"
#include "heed/search/strategies.h"

namespace heed {

void SearchOptions::describe(Describer& d) {
  SentenceSettings::describe(d);
  d.setting("strategy", strategy,
            name_from(heed::strategies().listing(),
                      "how continuations are chosen; --sample, --diverse and --constrain set it"));
  strategies.describe(d);
  d.setting("seed", seed,
            {.help = "for --sample, and for models that draw the slots they look at: another seed "
                     "draws others",
             .least = 0,
             .most = most_seed});
  d.setting("ensemble", ensemble,
            {.help = "for several models or decoders: average probability or log_probability",
             .choices = ensemble_means()});
  parallel.describe(d);
  d.setting("ctc_weight", ctc_weight,
            {.help = "for a model with a ctc decoder beside the main one: its share of the score "
                     "(Watanabe 2017); 0: it is not asked",
             .least = 0,
             .most = 1});
  d.setting("weights_of", weights_of,
            {{"auto", WeightsOf::automatic}, {"main", WeightsOf::main}, {"ctc", WeightsOf::ctc}},
            {"whose weights are shown: main, those of the main decoder; ctc, where a ctc decoder "
             "beside it hears each word; auto: ctc for recordings where there is one, else main"});
  times.describe(d);
  d.setting("lm_weight", lm_weight,
            {.help = "for --lm: weight of the language model's log-probabilities, which are added",
             .least = 0,
             .most = 100});
  d.setting("combine", combine,
            {"use another decoder of the model in addition to the main one: NAME or NAME=WEIGHT; "
             "main=WEIGHT sets the main one's weight (1 unless given)"});
}

void ParallelSettings::describe(Describer& d) {
  d.setting("rounds", rounds,
            {.help = "for a decoder that fills all positions: number of rounds in which the least "
                     "certain words are filled again",
             .least = 1,
             .most = 1000});
  d.setting("length_beam", length_beam,
            {.help = "for a decoder that fills all positions: number of lengths that are tried",
             .least = 1,
             .most = most_beam});
  d.setting(
      "length", length,
      {.help = "for a decoder that fills all positions: number of words of every translation; "
               "0: as many as the model says",
       .least = 0,
       .most = most_words});
}

void WordTimes::describe(Describer& d) {
  d.setting("word_starts", word_starts,
            {{"weights", WordTime::weights}, {"level", WordTime::level}},
            {"for recordings: when a word begins: weights, where those of its first token rise; "
             "level, where the sound rises between the token before it and that moment"});
  d.setting("word_ends", word_ends, {{"weights", WordTime::weights}, {"level", WordTime::level}},
            {"for recordings: when a word ends: weights, where those of its last token fall; "
             "level, where the sound falls between that moment and the next word"});
  d.setting("late_ms", late_ms,
            {.help = "for recordings: milliseconds by which this model hears words later than they "
                     "begin; they are taken off the times of words (below 0: it hears them early)",
             .least = -10'000,
             .most = 10'000});
}

Json changed_settings(SearchOptions options) {
  SearchOptions usual;
  const Json all = config_of(usual);
  const Json own = config_of(options);
  Json changed = Json::object();
  for (const Json::Member& one : *own.get<Json::Object>()) {
    for (const Json::Member& other : *all.get<Json::Object>()) {
      if (other.key == one.key && other.value.write() != one.value.write()) {
        changed.set(one.key, one.value);
      }
    }
  }
  return changed;
}

std::string summary(const SearchOptions& options) {
  const Json changed = changed_settings(options);
  std::string text = options.strategy == "beam" && options.beam == 1 ? "greedy" : "";
  for (const Json::Member& one : *changed.get<Json::Object>()) {
    const std::string* word = one.value.get<std::string>();
    text += (text.empty() ? "" : ", ") + one.key + " " + (word ? *word : one.value.write());
  }
  return text;
}

}  // namespace heed
