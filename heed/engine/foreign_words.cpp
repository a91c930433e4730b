#include "heed/engine/foreign_words.h"

#include <algorithm>
#include <string>

namespace heed {
namespace {

// Keras, PyTorch, fairseq, Marian, OpenNMT, ESPnet and Hugging Face say these.
constexpr ForeignWord all_words[] = {
    {"batch_size", "training.batch_sentences", "training.batch_tokens"},
    {"batchsize", "training.batch_sentences", "training.batch_tokens"},
    {"mini_batch", "training.batch_sentences", "training.batch_tokens"},
    {"minibatch", "training.batch_sentences", "training.batch_tokens"},
    {"per_device_train_batch_size", "training.batch_sentences", "training.batch_tokens"},
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
    {"hidden_size", "model.encoder.width", "model.decoder.width"},
    {"hidden_dim", "model.encoder.width", "model.decoder.width"},
    {"hidden_units", "model.encoder.width", "model.decoder.width"},
    {"hidden", "model.encoder.width", "model.decoder.width"},
    {"units", "model.encoder.width", "model.decoder.width"},
    {"dim", "model.encoder.width", "model.decoder.width"},
    {"d_model", "model.encoder.width", "model.decoder.width"},
    {"rnn_size", "model.encoder.width", "model.decoder.width"},
    {"dim_rnn", "model.encoder.width", "model.decoder.width"},
    {"embedding_dim", "model.embedding", "model.decoder.embedding"},
    {"embedding_size", "model.embedding", "model.decoder.embedding"},
    {"embed_dim", "model.embedding", "model.decoder.embedding"},
    {"emb_size", "model.embedding", "model.decoder.embedding"},
    {"emb_dim", "model.embedding", "model.decoder.embedding"},
    {"dim_emb", "model.embedding", "model.decoder.embedding"},
    {"layers", "model.encoder.depth", "model.decoder.depth"},
    {"num_layers", "model.encoder.depth", "model.decoder.depth"},
    {"n_layers", "model.encoder.depth", "model.decoder.depth"},
    {"enc_layers", "model.encoder.depth"},
    {"enc_depth", "model.encoder.depth"},
    {"dec_layers", "model.decoder.depth"},
    {"dec_depth", "model.decoder.depth"},
    {"vocab_size", "data.source_vocabulary", "data.target_vocabulary"},
    {"vocabulary_size", "data.source_vocabulary", "data.target_vocabulary"},
    {"num_words", "data.source_vocabulary", "data.target_vocabulary"},
    {"dim_vocabs", "data.source_vocabulary", "data.target_vocabulary"},
    {"vocab", "data.source_vocabulary", "data.target_vocabulary"},
    {"sortagrad", "training.curriculum.steps"},
    {"early_stopping", "training.patience"},
    {"early_stop", "training.patience"},
    {"type", "*.kind"},
    {"name", "*.kind"},
    {"class", "*.kind"},
    {"rnn_type", "model.encoder.cell", "model.decoder.cell"},
    {"cell_type", "model.encoder.cell", "model.decoder.cell"},
    {"bidirectional", "model.encoder.direction", {}, "\"both\""},
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
    {"tokenizer", "data.source_tokens", "data.target_tokens"},
    {"tokenization", "data.source_tokens", "data.target_tokens"},
    {"subword", "data.source_tokens", "data.target_tokens", "\"bpe\""},
    {"bpe", "data.source_tokens", "data.target_tokens", "\"bpe\""},
    {"sentencepiece", "data.source_tokens", "data.target_tokens", "\"unigram\""},
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
    {"max_len", "data.max_source", "data.max_target"},
    {"max_length", "data.max_source", "data.max_target"},
    {"max_seq_length", "data.max_source", "data.max_target"},
    {"scheduler", "training.schedule"},
    {"lr_scheduler", "training.schedule"},
    {"lr_decay", "training.schedule"},
    {"warmup", "training.schedule.warm_up"},
    {"warmup_steps", "training.schedule.warm_up"},
    {"lr_warmup", "training.schedule.warm_up"},
    {"attention_type", "*.attention.score"},
    {"global_attention", "*.attention.score"},
    {"attn", "*.attention.score"},
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
    {"fp16", "training.precision", {}, "\"bf16\""},
    {"bf16", "training.precision", {}, "\"bf16\""},
    {"amp", "training.precision", {}, "\"bf16\""},
    {"mixed_precision", "training.precision", {}, "\"bf16\""},
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
    {"length_penalty", "search.alpha", "search.length_norm"},
    {"tied_embeddings", "model.decoder.tied", "model.share_embeddings"},
    {"share_all_embeddings", "model.share_embeddings"},
    {"task", "data.synth"},
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

}  // namespace

std::span<const ForeignWord> foreign_words() { return all_words; }

std::string in_heeds_words(std::string_view name) {
  const std::string wanted = as_a_setting(name);
  const auto* const found =
      std::find_if(std::begin(all_words), std::end(all_words),
                   [&wanted](const ForeignWord& one) { return one.word == wanted; });
  if (found == std::end(all_words)) {
    return "";
  }
  std::string names;
  for (const std::string_view path : {found->path, found->other}) {
    // A part has the setting, wherever the part is.
    if (!path.empty()) {
      names += (names.empty() ? "" : " or ") +
               std::string(path.starts_with("*.") ? path.substr(2) : path);
      names += found->value.empty() ? "" : " = " + std::string(found->value);
    }
  }
  return "; in heed it is " + names;
}

}  // namespace heed
