#include "heed/import/generation.h"

#include <algorithm>
#include <limits>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr const char* generation_file = "generation_config.json";
constexpr std::int64_t most_words = 1'000'000;
constexpr std::int64_t usual_length = 20;  // of transformers, the start token included

/// Settings at whose usual values nothing happens, and which heed's search does not have.
struct Neutral {
  const char* name;
  Json value;
};
const std::initializer_list<Neutral>& neutral() {
  static const std::initializer_list<Neutral> all = {
      {"do_sample", false},
      {"num_beam_groups", 1},
      {"diversity_penalty", 0},
      {"repetition_penalty", 1},
      {"encoder_repetition_penalty", 1},
      {"encoder_no_repeat_ngram_size", 0},
      {"forced_bos_token_id", Json()},
      {"forced_decoder_ids", Json()},
      {"sequence_bias", Json()},
      {"force_words_ids", Json()},
      {"constraints", Json()},
      {"exponential_decay_length_penalty", Json()},
      {"guidance_scale", 1},
      {"penalty_alpha", 0},
      {"dola_layers", Json()},
      {"watermarking_config", Json()},
      {"stop_strings", Json()},
      {"max_time", Json()},
      {"prompt_lookup_num_tokens", Json()},
      {"token_healing", false},
  };
  return all;
}

/// Settings that change how, not what; those of drawing lots, which is off; and those that are read
/// from config.json.
const std::initializer_list<std::string_view> harmless = {"_from_model_config",
                                                          "transformers_version",
                                                          "use_cache",
                                                          "cache_implementation",
                                                          "cache_config",
                                                          "return_legacy_cache",
                                                          "output_attentions",
                                                          "output_hidden_states",
                                                          "output_scores",
                                                          "output_logits",
                                                          "return_dict_in_generate",
                                                          "remove_invalid_values",
                                                          "num_return_sequences",
                                                          "low_memory",
                                                          "is_assistant",
                                                          "num_assistant_tokens",
                                                          "num_assistant_tokens_schedule",
                                                          "assistant_confidence_threshold",
                                                          "assistant_early_exit",
                                                          "assistant_lookbehind",
                                                          "target_lookbehind",
                                                          "max_matching_ngram_size",
                                                          "prefill_chunk_size",
                                                          "compile_config",
                                                          "disable_compile",
                                                          "continuous_batching_config",
                                                          "temperature",
                                                          "top_k",
                                                          "top_p",
                                                          "top_h",
                                                          "min_p",
                                                          "typical_p",
                                                          "epsilon_cutoff",
                                                          "eta_cutoff",
                                                          "bos_token_id",
                                                          "generation_kwargs"};

/// The names that ask for something here.
const std::initializer_list<std::string_view> read_here = {"num_beams",
                                                           "length_penalty",
                                                           "max_length",
                                                           "max_new_tokens",
                                                           "min_length",
                                                           "min_new_tokens",
                                                           "no_repeat_ngram_size",
                                                           "early_stopping",
                                                           "bad_words_ids",
                                                           "forced_eos_token_id",
                                                           "renormalize_logits",
                                                           "suppress_tokens",
                                                           "begin_suppress_tokens"};

class GenerationReading {
 public:
  GenerationReading(const Json& settings, const std::string& who, const ForeignSpecials& specials)
      : settings_(settings, who), who_(who), specials_(specials) {}

  Generation read(bool reads_all, std::initializer_list<std::string_view> of_family) {
    read_beam();
    read_lengths();
    read_closed_tokens("suppress_tokens", "closed");
    read_closed_tokens("begin_suppress_tokens", "closed_first");
    const bool is_closed = read_closed();
    out_.closes_before_softmax = is_closed && settings_.flag("renormalize_logits", false);
    out_.search.set("allow_unk", true);
    settings_.ignore(of_family);
    for (const Neutral& one : neutral()) {
      if (std::find(of_family.begin(), of_family.end(), one.name) == of_family.end()) {
        settings_.must_be(one.name, one.value);
      }
    }
    settings_.must_be("eos_token_id", specials_.end);
    settings_.must_be("pad_token_id", specials_.padding);
    settings_.must_be("decoder_start_token_id", specials_.start);
    settings_.ignore(harmless);
    if (reads_all) {
      settings_.finish();
    }
    return std::move(out_);
  }

 private:
  void read_beam() {
    out_.search.set("beam", settings_.whole("num_beams", 1, 1024, 1));
    out_.search.set("length_norm", "length");
    out_.search.set("alpha", settings_.number("length_penalty", 0, 100, 1));
    out_.search.set("no_repeat_ngram", settings_.whole("no_repeat_ngram_size", 0, 1000, 0));
    out_.search.set("until", settings_.flag("early_stopping", false) ? "full" : "settled");
  }

  /// generate() counts the start token and the end; heed counts the words between them. A forced end is
  /// the last of them.
  void read_lengths() {
    settings_.must_be("forced_eos_token_id", specials_.end);
    const bool forces_end = settings_.find("forced_eos_token_id").has_value();
    const std::int64_t length = settings_.whole("max_length", 2, most_words, usual_length);
    const std::int64_t said =
        settings_.whole("max_new_tokens", 1, most_words, std::max<std::int64_t>(length - 1, 1));
    const std::int64_t words = std::max<std::int64_t>(said - (forces_end ? 1 : 0), 1);
    out_.search.set("max_length", words);
    out_.search.set("max_length_factor", 0);
    out_.search.set("max_length_margin", words);
    const std::int64_t least = settings_.whole("min_length", 0, most_words, 0);
    out_.search.set("min_length", settings_.whole("min_new_tokens", 0, most_words,
                                                  std::max<std::int64_t>(least - 1, 0)));
  }

  /// Special tokens among them are never said anyway; a prefix may have them.
  void read_closed_tokens(const char* theirs, const char* ours) {
    Json tokens = Json::array();
    const auto found = settings_.find(theirs);
    for (const JsonReader& token : found ? found->items() : std::vector<JsonReader>()) {
      tokens.push(token.integer(0, std::numeric_limits<TokenId>::max()));
    }
    if (found && found->size() > 0) {
      out_.search.set(ours, std::move(tokens));
    }
  }

  /// Whether the start token, which heed never says, is closed there, too; nothing else may be. The
  /// end is never closed.
  bool read_closed() {
    const auto found = settings_.find("bad_words_ids");
    if (specials_.start == specials_.end) {
      settings_.must_be("bad_words_ids", Json::array().push(Json::array().push(specials_.end)));
      return false;
    }
    for (const JsonReader& words : found ? found->items() : std::vector<JsonReader>()) {
      if (words.size() != 1 || words.at(0).integer() != specials_.start) {
        words.refuse(
            fmt::format("[{}], the start token; no other words can be closed", specials_.start));
      }
    }
    return found && found->size() > 0;
  }

  ForeignSettings settings_;
  std::string who_;
  ForeignSpecials specials_;
  Generation out_;
};

}  // namespace

Generation generation_of(ModelFolder& folder, const Json& config, const ForeignSpecials& specials,
                         std::initializer_list<std::string_view> of_family) {
  if (!folder.has(generation_file)) {
    return GenerationReading(config, folder.path_of("config.json"), specials)
        .read(false, of_family);
  }
  const Json own = folder.json(generation_file, "the settings of a search");
  return GenerationReading(own, folder.path_of(generation_file), specials).read(true, of_family);
}

void ignore_generation(ForeignSettings& settings) {
  settings.ignore(harmless);
  settings.ignore(read_here);
  for (const Neutral& one : neutral()) {
    settings.ignore({one.name});
  }
}

}  // namespace heed
