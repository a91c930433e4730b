// t5: T5 of transformers, in all of its versions (Raffel 2020; Shazeer 2020; Xue 2021; Chung 2023): t5,
// of which v1.1 and Flan are two, mt5 and umt5. A Transformer with norms before its branches that only
// scale, no biases, scores that are not scaled but have a number for the bucket of each distance, and one
// table for both languages. What the output reads is multiplied by 1/√width where it is that table.
#include <cmath>

#include "heed/config/limits.h"
#include "heed/import/families.h"
#include "heed/import/foreign_vocabulary.h"
#include "heed/import/generation.h"
#include "heed/import/hugging_face.h"
#include "heed/import/piece_vocabulary.h"
#include "heed/import/renamed_tensors.h"

namespace heed {
namespace {

constexpr const char* t5_table = "shared.weight";
constexpr const char* t5_output = "lm_head.weight";

/// What config.json says.
struct T5Config {
  std::int64_t tokens = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t head_width = 0;
  std::int64_t inner = 0;
  std::int64_t encoder_layers = 0;
  std::int64_t decoder_layers = 0;
  std::int64_t buckets = 0;
  std::int64_t distance = 0;
  std::string activation;
  bool is_gated = false;
  bool scales_output = false;
  bool has_bias_in_each_block = false;
  bool is_tied = false;  // which the weights show
  double epsilon = 0;
  double dropout = 0;
  ForeignSpecials specials;
};

/// "relu", or "gated-gelu", whose gelu is the one by tanh.
void read_t5_activation(ForeignSettings& settings, const std::string& type, T5Config& out) {
  constexpr const char* name = "feed_forward_proj";
  const std::string_view gated = "gated-";
  const std::string wanted = settings.text(name, type == "t5" ? "relu" : "gated-gelu");
  out.is_gated = wanted.starts_with(gated);
  const std::string theirs =
      wanted == "gated-gelu" ? "gelu_new" : wanted.substr(out.is_gated ? gated.size() : 0);
  const char* const ours = activation_named_by(theirs);
  if (ours == nullptr) {
    settings.refuse(name);
  }
  out.activation = ours;
  settings.must_be("dense_act_fn", theirs);
  settings.must_be("is_gated_act", out.is_gated);
}

/// Whether the output is scaled: t5 and umt5 say so by tying it, even where the weights have an output of
/// their own; t5 may also say it itself. mt5 never is: before version 5 of transformers it was where it
/// was tied, which no model that is known was, and version 5 says that all are.
bool scales_output(ForeignSettings& settings, const std::string& type) {
  const bool is_tied = settings.flag("tie_word_embeddings", type != "mt5");
  if (type == "t5") {
    return settings.flag("scale_decoder_outputs", is_tied);
  }
  if (type == "umt5") {
    return is_tied;
  }
  const std::string version = settings.text("transformers_version", "");
  if (is_tied && version.starts_with("4.")) {
    settings.refuse("tie_word_embeddings");
  }
  return false;
}

T5Config t5_config(const Json& json, const std::string& who, const std::string& type) {
  constexpr std::int64_t most_tokens = 1 << 19;
  ForeignSettings settings(json, who);
  T5Config out;
  out.tokens = settings.whole("vocab_size", 3, most_tokens);
  out.width = settings.whole("d_model", 1, 1 << 14);
  out.heads = settings.whole("num_heads", 1, 1024);
  out.head_width = settings.whole("d_kv", 1, 1 << 14);
  out.inner = settings.whole("d_ff", 1, most_width);
  out.encoder_layers = settings.whole("num_layers", 1, 256);
  out.decoder_layers = settings.whole("num_decoder_layers", 1, 256, out.encoder_layers);
  out.buckets = settings.whole("relative_attention_num_buckets", 4, most_width, 32);
  out.distance = settings.whole("relative_attention_max_distance", out.buckets / 2 + 1, 16384, 128);
  out.epsilon = settings.number("layer_norm_epsilon", 1e-12, 1, 1e-6);
  out.dropout = settings.number("dropout_rate", 0, 0.95, 0.1);
  read_t5_activation(settings, type, out);
  out.scales_output = scales_output(settings, type);
  out.has_bias_in_each_block = type == "umt5";
  const auto token = [&](const char* name, std::int64_t usual) {
    return static_cast<TokenId>(settings.whole(name, 0, out.tokens - 1, usual));
  };
  out.specials.padding = token("pad_token_id", 0);
  out.specials.end = token("eos_token_id", 1);
  out.specials.start = token("decoder_start_token_id", out.specials.padding);
  settings.must_be("hidden_size", out.width);  // other names of some of these
  settings.must_be("num_attention_heads", out.heads);
  settings.must_be("num_hidden_layers", out.encoder_layers);
  settings.must_be("head_dim", out.head_width);
  settings.ignore({"initializer_factor", "n_positions", "output_past", "scalable_attention"});
  ignore_usual(settings);
  settings.finish();
  return out;
}

Json t5_attention(const T5Config& c) {
  return Json::object()
      .set("score", "dot")
      .set("heads", c.heads)
      .set("head_width", c.head_width)
      .set("bias", false)
      .set("dropout", c.dropout);
}

Json t5_blocks(const T5Config& c, bool decodes) {
  Json buckets = Json::object()
                     .set("kind", "prior")
                     .set("shape", "relative")
                     .set("buckets", c.buckets)
                     .set("distance", c.distance)
                     .set("bidirectional", !decodes);
  Json focus = Json::array();
  focus.push(decodes ? "causal" : "everywhere").push(std::move(buckets));
  Json inner = Json::object()
                   .set("width", c.inner)
                   .set("activation", c.activation)
                   .set("gated", c.is_gated)
                   .set("bias", false)
                   .set("dropout", c.dropout);
  return Json::object()
      .set("kind", "transformer")
      .set("width", c.width)
      .set("depth", decodes ? c.decoder_layers : c.encoder_layers)
      .set("placement", "pre")
      .set("position", "none")
      .set("dropout", c.dropout)
      .set("norm", Json::object().set("kind", "rms_norm").set("epsilon", c.epsilon))
      .set("self", t5_attention(c).set("focus", std::move(focus)))
      .set("feed_forward", std::move(inner));
}

Json t5_model(const T5Config& c) {
  Json decoder = t5_blocks(c, true);
  decoder.set("cross", t5_attention(c))
      .set("tied", c.is_tied)
      .set("untied_bias", false)
      .set("scaled_embedding", false)
      .set("output_factor", c.scales_output ? 1 / std::sqrt(static_cast<double>(c.width)) : 1.0);
  return Json::object()
      .set("embedding", c.width)
      .set("share_embeddings", true)
      .set("encoder", t5_blocks(c, false))
      .set("decoder", std::move(decoder));
}

void take_t5_attention(RenamedTensors& tensors, const T5Config& c, const std::string& ours,
                       const std::string& theirs) {
  const std::int64_t all = c.heads * c.head_width;
  tensors.take(ours + ".query.weight", {theirs + ".q.weight"}, {all, c.width});
  tensors.take(ours + ".key.weight", {theirs + ".k.weight"}, {all, c.width});
  tensors.take(ours + ".value.weight", {theirs + ".v.weight"}, {all, c.width});
  tensors.take(ours + ".output.weight", {theirs + ".o.weight"}, {c.width, all});
}

void take_t5_inner(RenamedTensors& tensors, const T5Config& c, const std::string& ours,
                   const std::string& theirs) {
  const std::string first = theirs + (c.is_gated ? ".wi_0.weight" : ".wi.weight");
  tensors.take(ours + ".inner.weight", {first}, {c.inner, c.width});
  if (c.is_gated) {
    tensors.take(ours + ".gate.weight", {theirs + ".wi_1.weight"}, {c.inner, c.width});
  }
  tensors.take(ours + ".outer.weight", {theirs + ".wo.weight"}, {c.width, c.inner});
}

/// The numbers for buckets are those of the first block, or each block's own.
void take_t5_blocks(RenamedTensors& tensors, const T5Config& c, const std::string& side,
                    bool decodes) {
  const std::int64_t layers = decodes ? c.decoder_layers : c.encoder_layers;
  for (std::int64_t n = 0; n < layers; ++n) {
    const std::string ours = fmt::format("{}.block.{}", side, n);
    const auto part = [&](int layer) { return fmt::format("{}.layer.{}", ours, layer); };
    const auto take_norm = [&](const char* name, int layer) {
      tensors.take(fmt::format("{}.{}.weight", ours, name), {part(layer) + ".layer_norm.weight"},
                   {c.width});
    };
    take_t5_attention(tensors, c, ours + ".self", part(0) + ".SelfAttention");
    tensors.take(ours + ".self.focus.1.table",
                 {fmt::format("{}.block.{}.layer.0.SelfAttention.relative_attention_bias.weight",
                              side, c.has_bias_in_each_block ? n : 0)},
                 {c.buckets, c.heads});
    take_norm("self_norm", 0);
    if (decodes) {
      take_t5_attention(tensors, c, ours + ".cross", part(1) + ".EncDecAttention");
      take_norm("cross_norm", 1);
    }
    const int last = decodes ? 2 : 1;
    take_t5_inner(tensors, c, ours + ".feed_forward", part(last) + ".DenseReluDense");
    take_norm("feed_forward_norm", last);
  }
  tensors.take(side + ".final_norm.weight", {side + ".final_layer_norm.weight"}, {c.width});
}

/// The output is tied unless it has weights of its own.
void take_t5_tables(RenamedTensors& tensors, T5Config& c) {
  tensors.take_tied("decoder.embedding.table",
                    {t5_table, "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"},
                    {c.tokens, c.width});
  c.is_tied = !tensors.has(t5_output) || tensors.are_equal(t5_table, t5_output);
  if (!c.is_tied) {
    tensors.take("decoder.output.weight", {t5_output}, {c.tokens, c.width});
  }
}

class T5 : public Family {
 public:
  bool owns(ModelFolder& folder) const override {
    const std::string type = model_type(folder);
    return type == "t5" || type == "mt5" || type == "umt5";
  }

  SafetensorsFile read(ModelFolder& folder) const override {
    const Json json = folder.json(config_file, "the settings of the model");
    T5Config c = t5_config(json, folder.path_of(config_file), model_type(folder));
    const Generation generation = generation_of(folder, json, c.specials);
    RenamedTensors tensors(folder.weights(weight_files()), folder.path());
    take_t5_blocks(tensors, c, "encoder", false);
    take_t5_blocks(tensors, c, "decoder", true);
    take_t5_tables(tensors, c);
    const std::string vocabulary =
        vocabulary_of_pieces(folder, "spiece.model", c.specials, c.tokens);

    SafetensorsFile file =
        contents_of(folder, t5_model(c), generation.search, std::move(tensors.taken));
    PairOfVocabularies{vocabulary, vocabulary}.add_to(file);
    return file;
  }
};

}  // namespace

std::unique_ptr<Family> t5_family() { return std::make_unique<T5>(); }

}  // namespace heed
