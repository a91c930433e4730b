#include "heed/search/search_options.h"

#include "heed/config/explain.h"
#include "heed/config/limits.h"
#include "heed/search/strategies.h"

namespace heed {

namespace {

constexpr auto most_beam = static_cast<double>(SearchOptions::most_beam);
constexpr double most_words = 1'000'000;

}  // namespace

void SearchOptions::describe(Describer& d) {
  describe_beam(d);
  describe_strategy(d);
  describe_decoders(d);
}

void SearchOptions::describe_beam(Describer& d) {
  d.setting("beam", beam,
            {.help = "hypotheses kept at every step; 1: greedy", .least = 1, .most = most_beam});
  d.setting("until", until, {{"full", BeamEnds::full}, {"settled", BeamEnds::settled}},
            {"when a beam ends: full, as soon as it has finished as many outputs as it keeps "
             "hypotheses; settled, once none under way is better than the worst of those"});
  d.setting(
      "n_best", n_best,
      {.help = "outputs for a line, a picture or a recording; several are printed as `line "
               "||| text ||| F0= log p ||| score`, p the model's own; with a language model or "
               "a ctc decoder beside the main one Sum= behind F0 is what was searched for",
       .least = 1,
       .most = most_beam});
  d.setting("length_norm", normalise,
            {.help = "divide log p by: none 1, wu ((5+|Y|)/6)^alpha, length |Y|^alpha",
             .choices = length_norms()});
  d.setting("alpha", alpha,
            {.help = "strength of the length normalisation", .least = 0, .most = 100});
  d.setting(
      "coverage", coverage,
      {.help = "weight of the coverage penalty: reward attention to every source word (Wu 2016)",
       .least = 0,
       .most = most_factor});
  d.setting(
      "max_length", max_length,
      {.help = "most tokens in an output: words, characters or subwords, as the model has them",
       .least = 1,
       .most = most_words});
  d.setting("max_length_factor", length_factor,
            {.help = "most tokens for each token of the source, plus --max-length-margin",
             .least = 0,
             .most = most_words});
  d.setting(
      "max_length_margin", length_margin,
      {.help = "tokens added to the limit of --max-length-factor", .least = 0, .most = most_words});
  rules.describe(d);
  d.setting("allow_unk", allows_unknown,
            {"let outputs contain <unk>, the token of words that the model does not know"});
}

void SearchOptions::describe_strategy(Describer& d) {
  d.setting("strategy", strategy,
            name_from(strategies().listing(),
                      "how continuations are chosen; --sample, --diverse and --constrain set it"));
  d.setting("temperature", temperature,
            {.help = "for --sample: below 1 prefers likely words, above 1 gives more variety",
             .least = 1e-6,
             .most = most_factor});
  d.setting("top_k", top_k,
            {.help = "for --sample: draw from the k likeliest words; 0: from all",
             .least = 0,
             .most = most_words});
  d.setting("top_p", top_p,
            {.help = "for --sample: draw from the fewest words that together reach probability p",
             .least = 1e-6,
             .most = 1});
  d.setting("seed", seed,
            {.help = "for --sample, and for models that draw the slots they look at: another seed "
                     "draws others",
             .least = 0,
             .most = most_seed});
  d.setting("diverse", groups,
            {.help = "number of groups of the beam, which avoid each other's words",
             .least = 1,
             .most = most_beam});
  d.setting("diversity", diversity,
            {.help = "for --diverse: the penalty of a word for each earlier group that chose it",
             .least = 0,
             .most = most_factor});
}

void SearchOptions::describe_decoders(Describer& d) {
  d.setting("ensemble", mean,
            {.help = "for several models or decoders: average probability or log_probability",
             .choices = ensemble_means()});
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
  d.setting("ctc_weight", ctc_weight,
            {.help = "for a model with a ctc decoder beside the main one: its share of the score "
                     "(Watanabe 2017); 0: it is not asked",
             .least = 0,
             .most = 1});
  d.setting("weights_of", weights_of,
            {{"auto", WeightsOf::automatic}, {"main", WeightsOf::main}, {"ctc", WeightsOf::ctc}},
            {"whose weights are shown: main, those of the main decoder; ctc, where a ctc decoder "
             "beside it hears each word; auto: ctc for recordings where there is one, else main"});
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
  d.setting("lm_weight", lm_weight,
            {.help = "for --lm: weight of the language model's log-probabilities, which are added",
             .least = 0,
             .most = 100});
  d.setting("combine", combine,
            {"use another decoder of the model in addition to the main one: NAME or NAME=WEIGHT; "
             "main=WEIGHT sets the main one's weight (1 unless given)"});
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
