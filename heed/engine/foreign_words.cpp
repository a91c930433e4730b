#include "heed/engine/foreign_words.h"

#include <algorithm>
#include <map>
#include <vector>

#include "heed/config/explain.h"

namespace heed {
namespace {

// Keras, PyTorch, fairseq, Marian, OpenNMT, ESPnet and Hugging Face say these.
constexpr std::string_view in_random_order =
    "there is nothing to set: every pass has its own random order";
constexpr std::string_view on_the_command_line =
    "no setting says where to compute, but `heed train --backend` does";
constexpr std::string_view folder_of_the_run =
    "no setting names the run's folder, but `heed train -o FOLDER` does";
constexpr std::string_view goes_on =
    "a run continues by itself when the same command is given again";

constexpr ForeignWord all_words[] = {
    {"batch_size", "training.batch_sentences|training.batch_tokens"},
    {"batchsize", "training.batch_sentences|training.batch_tokens"},
    {"mini_batch", "training.batch_sentences|training.batch_tokens"},
    {"minibatch", "training.batch_sentences|training.batch_tokens"},
    {"per_device_train_batch_size", "training.batch_sentences|training.batch_tokens"},
    {"max_tokens", "training.batch_tokens"},
    {"lr", "training.optimiser.learning_rate"},
    {"learn_rate", "training.optimiser.learning_rate"},
    {"learning_rate", "training.optimiser.learning_rate"},
    {"max_steps", "training.steps"},
    {"num_steps", "training.steps"},
    {"train_steps", "training.steps"},
    {"max_update", "training.steps"},
    {"iterations", "training.steps"},
    {"after_batches", "training.steps"},
    {"num_epochs", "training.epochs"},
    {"num_train_epochs", "training.epochs"},
    {"max_epochs", "training.epochs"},
    {"max_epoch", "training.epochs"},
    {"after_epochs", "training.epochs"},
    {"nb_epoch", "training.epochs"},
    {"hidden_size", "model.encoder.width|model.decoder.width"},
    {"hidden_dim", "model.encoder.width|model.decoder.width"},
    {"hidden_units", "model.encoder.width|model.decoder.width"},
    {"hidden", "model.encoder.width|model.decoder.width"},
    {"units", "model.encoder.width|model.decoder.width"},
    {"dim", "model.encoder.width|model.decoder.width"},
    {"d_model", "model.encoder.width|model.decoder.width"},
    {"rnn_size", "model.encoder.width|model.decoder.width"},
    {"dim_rnn", "model.encoder.width|model.decoder.width"},
    {"embedding_dim", "model.embedding|model.decoder.embedding"},
    {"embedding_size", "model.embedding|model.decoder.embedding"},
    {"embed_dim", "model.embedding|model.decoder.embedding"},
    {"emb_size", "model.embedding|model.decoder.embedding"},
    {"emb_dim", "model.embedding|model.decoder.embedding"},
    {"dim_emb", "model.embedding|model.decoder.embedding"},
    {"layers", "model.encoder.depth|model.decoder.depth"},
    {"num_layers", "model.encoder.depth|model.decoder.depth"},
    {"n_layers", "model.encoder.depth|model.decoder.depth"},
    {"enc_layers", "model.encoder.depth"},
    {"enc_depth", "model.encoder.depth"},
    {"dec_layers", "model.decoder.depth"},
    {"dec_depth", "model.decoder.depth"},
    {"vocab_size", "data.source_vocabulary|data.target_vocabulary"},
    {"vocabulary_size", "data.source_vocabulary|data.target_vocabulary"},
    {"num_words", "data.source_vocabulary|data.target_vocabulary"},
    {"dim_vocabs", "data.source_vocabulary|data.target_vocabulary"},
    {"vocab", "data.source_vocabulary|data.target_vocabulary"},
    {"sortagrad", "training.curriculum.steps"},
    {"early_stopping", "training.patience"},
    {"early_stop", "training.patience"},
    {"type", "*.kind|*.score|model.encoder.kind|model.decoder.kind"},
    {"name", "*.kind|*.score|model.encoder.kind|model.decoder.kind"},
    {"class", "*.kind|*.score|model.encoder.kind|model.decoder.kind"},
    {"rnn_type", "model.encoder.cell|model.encoder.kind|model.decoder.cell"},
    {"cell_type", "model.encoder.cell|model.encoder.kind|model.decoder.cell"},
    {"bidirectional", "model.encoder.direction", "\"both\""},
    {"num_heads", "*.heads"},
    {"n_heads", "*.heads"},
    {"nhead", "*.heads"},
    {"attention_heads", "*.heads"},
    {"transformer_heads", "*.heads"},
    {"d_ff", "*.feed_forward.width"},
    {"ffn_dim", "*.feed_forward.width"},
    {"dim_feedforward", "*.feed_forward.width"},
    {"ffn_embed_dim", "*.feed_forward.width"},
    {"max_grad_norm", "training.clip"},
    {"clip_norm", "training.clip"},
    {"grad_clip", "training.clip"},
    {"clip_gradients", "training.clip"},
    {"tokenizer", "data.source_tokens|data.target_tokens"},
    {"tokenization", "data.source_tokens|data.target_tokens"},
    {"subword", "data.source_tokens|data.target_tokens", "\"bpe\""},
    {"bpe", "data.source_tokens|data.target_tokens", "\"bpe\""},
    {"sentencepiece", "data.source_tokens|data.target_tokens", "\"unigram\""},
    {"eval_every", "training.validate_every"},
    {"eval_steps", "training.validate_every"},
    {"valid_freq", "training.validate_every"},
    {"valid_steps", "training.validate_every"},
    {"save_steps", "training.save_every"},
    {"save_freq", "training.save_every"},
    {"checkpoint_every", "training.save_every"},
    {"logging_steps", "training.log_every"},
    {"disp_freq", "training.log_every"},
    {"gradient_accumulation_steps", "training.accumulate"},
    {"accum_count", "training.accumulate"},
    {"update_freq", "training.accumulate"},
    {"optimizer_delay", "training.accumulate"},
    {"max_len", "data.max_source|data.max_target"},
    {"max_length", "data.max_source|data.max_target"},
    {"max_seq_length", "data.max_source|data.max_target"},
    {"scheduler", "training.schedule"},
    {"lr_scheduler", "training.schedule"},
    {"lr_decay", "training.schedule"},
    {"warmup", "training.schedule.warm_up"},
    {"warmup_steps", "training.schedule.warm_up"},
    {"lr_warmup", "training.schedule.warm_up"},
    {"attention_type", "*.attention.score|*.score"},
    {"global_attention", "*.attention.score|*.score"},
    {"attn", "*.attention.score|*.score"},
    {"src", "data.train"},
    {"train_src", "data.train"},
    {"train_file", "data.train"},
    {"train_sets", "data.train"},
    {"tgt", "data.train_target"},
    {"trg", "data.train_target"},
    {"train_tgt", "data.train_target"},
    {"dev", "data.valid"},
    {"val", "data.valid"},
    {"validation", "data.valid"},
    {"valid_sets", "data.valid"},
    {"pretrained", "training.init"},
    {"pretrained_model", "training.init"},
    {"restore_file", "training.init"},
    {"fp16", "training.precision", "\"bf16\""},
    {"bf16", "training.precision", "\"bf16\""},
    {"amp", "training.precision", "\"bf16\""},
    {"mixed_precision", "training.precision", "\"bf16\""},
    {"loss", "training.objectives"},
    {"criterion", "training.objectives"},
    {"metrics", "training.metric"},
    {"valid_metrics", "training.metric"},
    {"ema", "training.average"},
    {"exponential_smoothing", "training.average"},
    {"teacher_forcing", "training.feed"},
    {"beam", "search.beam"},
    {"beam_size", "search.beam"},
    {"num_beams", "search.beam"},
    {"length_penalty", "search.alpha|search.length_norm"},
    {"tied_embeddings", "model.decoder.tied|model.share_embeddings"},
    {"share_all_embeddings", "model.share_embeddings"},
    {"task", "data.synth"},
    {"optimizer", "training.optimiser"},
    {"optim", "training.optimiser"},
    {"opt", "training.optimiser"},
    {"momentum", "training.optimiser.momentum"},
    {"betas", "training.optimiser.beta1|training.optimiser.beta2"},
    {"src_vocab", "data.source_vocabulary"},
    {"src_vocab_size", "data.source_vocabulary"},
    {"tgt_vocab", "data.target_vocabulary"},
    {"tgt_vocab_size", "data.target_vocabulary"},
    {"encoder_layers", "model.encoder.depth"},
    {"num_encoder_layers", "model.encoder.depth"},
    {"decoder_layers", "model.decoder.depth"},
    {"num_decoder_layers", "model.decoder.depth"},
    {"gradient_clip_val", "training.clip"},
    {"gradient_clipping", "training.clip"},
    {"log_interval", "training.log_every"},
    {"log_steps", "training.log_every"},
    {"report_every", "training.log_every"},
    {"save_interval", "training.save_every"},
    {"eval_interval", "training.validate_every"},
    {"validation_freq", "training.validate_every"},
    {"grad_accum", "training.accumulate"},
    {"gradient_accumulation", "training.accumulate"},
    {"warmup_updates", "training.schedule.warm_up"},
    {"n_epochs", "training.epochs"},
    {"batch", "training.batch_sentences|training.batch_tokens"},
    {"dropout_rate", "model.dropout|model.encoder.dropout|model.decoder.dropout"},
    {"word_vec_size", "model.embedding|model.decoder.embedding"},
    {"min_freq", "data.min_count"},
    {"random_seed", "training.seed"},
    {"validation_split", "data.hold_out"},
    {"train_data", "data.train"},
    {"valid_data", "data.valid"},
    {"model", "training.init"},
    {"lowercase", "data.source_tokens|data.target_tokens", "\"lowercase_words\""},
    {"shuffle", {}, {}, in_random_order},
    {"device", {}, {}, on_the_command_line},
    {"devices", {}, {}, on_the_command_line},
    {"gpu", {}, {}, on_the_command_line},
    {"gpus", {}, {}, on_the_command_line},
    {"num_gpus", {}, {}, on_the_command_line},
    {"save_dir", {}, {}, folder_of_the_run},
    {"output_dir", {}, {}, folder_of_the_run},
    {"resume", {}, {}, goes_on},
};

// What other projects call the choices of a setting; of a part, its kind.
constexpr ForeignValue all_values[] = {
    {"score", "bahdanau", "additive"},
    {"score", "luong", "bilinear|dot"},
    {"source_tokens", "sentencepiece", "unigram|bpe"},
    {"source_tokens", "wordpiece", "unigram|bpe"},
    {"source_tokens", "subword", "unigram|bpe"},
    {"target_tokens", "sentencepiece", "unigram|bpe"},
    {"target_tokens", "wordpiece", "unigram|bpe"},
    {"target_tokens", "subword", "unigram|bpe"},
    {"schedule", "inverse_sqrt", "inverse_square_root"},
    {"precision", "fp16", "bf16"},
    {"precision", "float16", "bf16"},
    {"precision", "mixed", "bf16"},
};

/// In small letters, with '_' for '-'.
std::string as_a_setting(std::string_view name) {
  std::string out(name);
  for (char& letter : out) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    letter = letter == '-' ? '_' : is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

/// The names between '|'.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    names.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return names;
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// Empty for a path of one name.
std::string table_of(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

bool is_below(const std::string& path, const std::string& table) {
  return table.empty() || path.starts_with(table + ".");
}

/// The settings of a recipe with the parts that it has.
class KnownSettings {
 public:
  explicit KnownSettings(Recipe& recipe) {
    for (const SettingHelp& setting : explain(recipe)) {
      paths_.push_back(setting.path);
      if (setting.type == "part") {
        paths_.push_back(setting.path + ".kind");
        kinds_[setting.path] = setting.value;
      }
    }
  }
  bool has(const std::string& path) const {
    return std::find(paths_.begin(), paths_.end(), path) != paths_.end() ||
           path.ends_with("].kind");
  }
  /// Those that are below the table and end so, without those of deeper tables than the first.
  std::vector<std::string> below(const std::string& table, const std::string& ending) const {
    std::vector<std::string> found;
    for (const std::string& path : paths_) {
      if (is_below(path, table) && path.ends_with(ending)) {
        found.push_back(path);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& one, const auto& other) { return dots(one) < dots(other); });
    const auto deeper = std::find_if(found.begin(), found.end(), [&found](const auto& path) {
      return dots(path) > dots(found.front());
    });
    found.erase(deeper, found.end());
    return found;
  }
  /// `training.schedule.warm_up, which schedule = "step" does not have`: the setting is another
  /// part's.
  std::string of_another_part(const std::string& path) const {
    for (std::string part = table_of(path); !part.empty(); part = table_of(part)) {
      if (const auto kind = kinds_.find(part); kind != kinds_.end()) {
        return fmt::format("{}, which {} = {} does not have", path, last_name(part), kind->second);
      }
    }
    return path;
  }

 private:
  static std::ptrdiff_t dots(const std::string& path) {
    return std::count(path.begin(), path.end(), '.');
  }

  std::vector<std::string> paths_;
  std::map<std::string, std::string> kinds_;
};

constexpr size_t most_places = 3;  // more do not help

/// Where the word's settings are, in or below the table if there are any.
std::vector<std::string> places_of(const ForeignWord& word, const std::string& table,
                                   const KnownSettings& known) {
  const std::string inside = table.empty() ? "" : table + ".";
  std::vector<std::string> named;
  std::vector<std::string> endings;
  for (const std::string& path : alternatives(word.paths)) {
    if (!path.starts_with("*.")) {
      named.push_back(path);
    } else if (const std::string here = inside + path.substr(2); known.has(here)) {
      return {here};
    } else {
      endings.push_back(path.substr(1));
    }
  }
  const bool is_any_part = named.empty();
  const auto is_elsewhere = [&](const std::string& path) { return !is_below(path, table); };
  if (!std::all_of(named.begin(), named.end(), is_elsewhere) || !endings.empty()) {
    std::erase_if(named, is_elsewhere);
  }
  for (const std::string& ending : endings) {
    if (is_any_part && named.empty()) {
      named = known.below(table, ending);
    }
  }
  named.resize(std::min(named.size(), most_places));
  return named;
}

const ForeignWord* find(std::string_view name) {
  const std::string wanted = as_a_setting(name);
  const auto* const found =
      std::find_if(std::begin(all_words), std::end(all_words),
                   [&wanted](const ForeignWord& one) { return one.word == wanted; });
  return found == std::end(all_words) ? nullptr : found;
}

/// The path, and the value that is meant if the word is a flag elsewhere.
std::string with_value(const std::string& path, const ForeignWord& word) {
  return word.value.empty() ? path : fmt::format("{} = {}", path, word.value);
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : " or ") + name;
  }
  return all;
}

}  // namespace

std::span<const ForeignWord> foreign_words() { return all_words; }

std::span<const ForeignValue> foreign_values() { return all_values; }

std::string in_heeds_words(const std::string& path, Recipe& recipe) {
  const ForeignWord* const word = find(last_name(path));
  if (word == nullptr || !word->advice.empty()) {
    return word == nullptr ? "" : fmt::format("; {}", word->advice);
  }
  const KnownSettings known(recipe);
  std::vector<std::string> there;
  std::vector<std::string> absent;
  for (const std::string& place : places_of(*word, table_of(path), known)) {
    known.has(place) ? there.push_back(with_value(place, *word))
                     : absent.push_back(known.of_another_part(place));
  }
  return !there.empty()    ? "; in heed it is " + listed(there)
         : !absent.empty() ? "; in heed it is " + absent.front()
                           : "";
}

std::string in_heeds_words(const std::string& path, std::string_view value) {
  const std::string name = last_name(path);
  const std::string wanted = as_a_setting(value);
  for (const ForeignValue& one : all_values) {
    if (one.setting == name && one.value == wanted) {
      return "; in heed it is " + listed(alternatives(one.ours));
    }
  }
  return "";
}

std::string as_settings(std::string_view option, std::string_view value) {
  Recipe recipe;
  const std::string name = as_a_setting(option);
  const ForeignWord* const word = find(name);
  if (word != nullptr && !word->advice.empty()) {
    return fmt::format("; {}", word->advice);
  }
  std::vector<std::string> paths;
  const KnownSettings known(recipe);
  for (const char* table : {"training.", "data.", "model."}) {
    if (const std::string path = table + name; paths.empty() && known.has(path)) {
      paths.push_back(path);
    }
  }
  if (paths.empty() && word != nullptr) {
    paths = places_of(*word, "", known);
  }
  for (std::string& path : paths) {
    const std::string_view said = word != nullptr && !word->value.empty() ? word->value : value;
    path = fmt::format("--set {}={}", path, said.empty() ? "…" : said);
  }
  return paths.empty() ? "" : "; that is a setting: " + listed(paths);
}

}  // namespace heed
