// marian: MarianMT of transformers, into which Opus-MT's models were converted. A Transformer with norms
// behind its branches, sines before cosines, a tied output with a bias, and the padding token as start.
// One table of tokens (vocab.json) or one for each language, and a SentencePiece model for each.
#include <cmath>

#include "heed/import/families.h"
#include "heed/import/foreign_vocabulary.h"
#include "heed/import/generation.h"
#include "heed/import/hugging_face.h"
#include "heed/import/renamed_tensors.h"
#include "heed/model/file/file_tensor.h"

namespace heed {
namespace {

constexpr std::int64_t most_marian_width = 1 << 14;
constexpr std::int64_t most_tokens = 1 << 19;
constexpr const char* bias_name = "final_logits_bias";

struct Side {
  const char* name;  // "encoder"
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  bool computes_positions = true;
};

/// What config.json says.
struct MarianConfig {
  std::int64_t width = 0;
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t positions = 0;
  Side encoder{"encoder"};
  Side decoder{"decoder"};
  std::string activation;
  bool scales = false;
  bool is_tied = true;
  bool is_shared = true;  // one table for both languages
  double dropout = 0;
  double attention_dropout = 0;
  double activation_dropout = 0;
  ForeignSpecials specials;
};

Side side_of(ForeignSettings& settings, const char* name, std::int64_t width) {
  const auto key = [name](const char* what) { return fmt::format("{}_{}", name, what); };
  Side side{name};
  side.layers = settings.whole(key("layers"), 1, 256);
  side.heads = settings.whole(key("attention_heads"), 1, width);
  side.inner = settings.whole(key("ffn_dim"), 1, most_marian_width * 4);
  settings.ignore({key("layerdrop")});
  if (width % side.heads != 0) {
    fail(Fault::file, "config.json: {} heads cannot share a width of {}", side.heads, width);
  }
  return side;
}

MarianConfig marian_config(const Json& json, const std::string& who) {
  ForeignSettings settings(json, who);
  MarianConfig out;
  out.width = settings.whole("d_model", 1, most_marian_width);
  out.source_tokens = settings.whole("vocab_size", 3, most_tokens);
  out.positions = settings.whole("max_position_embeddings", 1, 1 << 20);
  out.encoder = side_of(settings, "encoder", out.width);
  out.decoder = side_of(settings, "decoder", out.width);
  out.activation = activation_of(settings, "activation_function", "gelu");
  out.scales = settings.flag("scale_embedding", false);
  out.is_tied = settings.flag("tie_word_embeddings", true);
  out.is_shared = settings.flag("share_encoder_decoder_embeddings", true);
  const std::int64_t targets =
      settings.whole("decoder_vocab_size", 3, most_tokens, out.source_tokens);
  out.target_tokens = out.is_shared ? out.source_tokens : targets;
  out.dropout = settings.number("dropout", 0, 0.99, 0);
  out.attention_dropout = settings.number("attention_dropout", 0, 0.99, 0);
  out.activation_dropout = settings.number("activation_dropout", 0, 0.99, 0);
  const auto token = [&](const char* name, std::optional<std::int64_t> usual) {
    return static_cast<TokenId>(settings.whole(name, 0, out.target_tokens - 1, usual));
  };
  out.specials.end = token("eos_token_id", 0);
  out.specials.padding = token("pad_token_id", {});
  out.specials.start = token("decoder_start_token_id", out.specials.padding);
  // Of the program that converted them; transformers reads none of these.
  settings.must_be("add_bias_logits", false);
  settings.must_be("add_final_layer_norm", false);
  settings.must_be("extra_pos_embeddings", 0);
  settings.must_be("force_bos_token_to_be_generated", false);
  settings.must_be("normalize_before", false);
  settings.must_be("normalize_embedding", false);
  settings.must_be("static_position_embeddings", true);
  settings.ignore({"num_hidden_layers"});
  ignore_usual(settings);
  settings.finish();
  return out;
}

Json attention(const MarianConfig& c, const Side& side) {
  return Json::object().set("heads", side.heads).set("dropout", c.attention_dropout);
}

Json stack_of(const MarianConfig& c, const Side& side) {
  Json position = Json::object().set("kind", "sinusoidal").set("waves", "halves");
  if (!side.computes_positions) {
    position = Json::object().set("kind", "learned").set("maximum", c.positions);
  }
  Json norm = Json::object().set("kind", "layer_norm").set("epsilon", 1e-5);
  Json inner = Json::object()
                   .set("width", side.inner)
                   .set("activation", c.activation)
                   .set("dropout", c.activation_dropout);
  return Json::object()
      .set("kind", "transformer")
      .set("width", c.width)
      .set("depth", side.layers)
      .set("placement", "post")
      .set("position", std::move(position))
      .set("dropout", c.dropout)
      .set("norm", std::move(norm))
      .set("self", attention(c, side))
      .set("feed_forward", std::move(inner));
}

Json model_of(const MarianConfig& c) {
  Json decoder = stack_of(c, c.decoder);
  decoder.set("cross", attention(c, c.decoder))
      .set("tied", c.is_tied)
      .set("tied_bias", c.is_tied)
      .set("scaled_embedding", c.scales);
  return Json::object()
      .set("embedding", c.width)
      .set("share_embeddings", c.is_shared && c.is_tied)
      .set("encoder", stack_of(c, c.encoder))
      .set("decoder", std::move(decoder));
}

/// Whether a table of positions [positions, width] is what the formula gives, rounded to f32: sin and cos
/// of p / 10000^(2i/D), in halves. One in half precision is another table.
bool is_sinusoidal(const FileTensor& table, const MarianConfig& c) {
  constexpr double close = 1e-6;
  const std::size_t row_bytes = table.bytes.size() / static_cast<std::size_t>(c.positions);
  const std::int64_t sines = (c.width + 1) / 2;
  for (std::int64_t p = 0; p < c.positions; ++p) {
    const std::vector<float> row =
        widened({table.name,
                 table.type,
                 {c.width},
                 table.bytes.part(static_cast<std::size_t>(p) * row_bytes, row_bytes)});
    for (std::int64_t column = 0; column < c.width; ++column) {
      const std::int64_t i = column < sines ? column : column - sines;
      const double angle =
          static_cast<double>(p) /
          std::pow(10000.0, 2 * static_cast<double>(i) / static_cast<double>(c.width));
      const double wave = column < sines ? std::sin(angle) : std::cos(angle);
      const auto value = static_cast<double>(row[static_cast<std::size_t>(column)]);
      if (!(std::abs(value - wave) <= close)) {
        return false;
      }
    }
  }
  return true;
}

/// Takes a table of positions only if it is not the usual one, which heed computes.
void take_positions(RenamedTensors& tensors, const MarianConfig& c, Side& side) {
  const std::string name = fmt::format("model.{}.embed_positions.weight", side.name);
  if (!tensors.has(name)) {
    return;
  }
  tensors.take(fmt::format("{}.positions.table", side.name), {name}, {c.positions, c.width});
  side.computes_positions = is_sinusoidal(tensors.taken.back(), c);
  if (side.computes_positions) {
    tensors.taken.pop_back();
  }
}

void take_attention(RenamedTensors& tensors, const std::string& ours, const std::string& theirs,
                    std::int64_t width) {
  tensors.take_linear(ours + ".query", theirs + ".q_proj", width, width);
  tensors.take_linear(ours + ".key", theirs + ".k_proj", width, width);
  tensors.take_linear(ours + ".value", theirs + ".v_proj", width, width);
  tensors.take_linear(ours + ".output", theirs + ".out_proj", width, width);
}

void take_blocks(RenamedTensors& tensors, const MarianConfig& c, const Side& side, bool crosses) {
  for (std::int64_t n = 0; n < side.layers; ++n) {
    const std::string ours = fmt::format("{}.block.{}", side.name, n);
    const std::string theirs = fmt::format("model.{}.layers.{}", side.name, n);
    take_attention(tensors, ours + ".self", theirs + ".self_attn", c.width);
    tensors.take_norm(ours + ".self_norm", theirs + ".self_attn_layer_norm", c.width);
    if (crosses) {
      take_attention(tensors, ours + ".cross", theirs + ".encoder_attn", c.width);
      tensors.take_norm(ours + ".cross_norm", theirs + ".encoder_attn_layer_norm", c.width);
    }
    tensors.take_linear(ours + ".feed_forward.inner", theirs + ".fc1", side.inner, c.width);
    tensors.take_linear(ours + ".feed_forward.outer", theirs + ".fc2", c.width, side.inner);
    tensors.take_norm(ours + ".feed_forward_norm", theirs + ".final_layer_norm", c.width);
  }
}

void take_tables(RenamedTensors& tensors, const MarianConfig& c) {
  const std::string shared = "model.shared.weight";
  const std::string source = "model.encoder.embed_tokens.weight";
  const std::string target = "model.decoder.embed_tokens.weight";
  const std::string output = "lm_head.weight";
  if (c.is_tied && c.is_shared) {
    tensors.take_tied("decoder.embedding.table", {shared, target, output, source},
                      {c.target_tokens, c.width});
    return;
  }
  tensors.take("source.table", {source, shared}, {c.source_tokens, c.width});
  if (c.is_tied) {
    tensors.take_tied("decoder.embedding.table", {target, output}, {c.target_tokens, c.width});
    return;
  }
  tensors.take("decoder.embedding.table", {target, shared}, {c.target_tokens, c.width});
  tensors.take("decoder.output.weight", {output}, {c.target_tokens, c.width});
}

/// The bias of every token. A token without a probability has a bias below all others.
void take_bias(RenamedTensors& tensors, const MarianConfig& c, bool closes_start) {
  constexpr float none = -1e9F;
  std::vector<float> bias(static_cast<std::size_t>(c.target_tokens), 0);
  if (tensors.has(bias_name)) {
    tensors.take(bias_name, {bias_name}, {1, c.target_tokens});
    bias = widened(tensors.taken.back());
    tensors.taken.pop_back();
  }
  if (closes_start) {
    bias[static_cast<std::size_t>(c.specials.start)] = none;
  }
  tensors.taken.push_back(
      {c.is_tied ? "decoder.output_bias" : "decoder.output.bias",
       DType::f32,
       {c.target_tokens},
       std::string(reinterpret_cast<const char*>(bias.data()), bias.size() * sizeof(float))});
}

class Marian : public Family {
 public:
  bool owns(ModelFolder& folder) const override { return model_type(folder) == "marian"; }

  SafetensorsFile read(ModelFolder& folder) const override {
    const Json json = folder.json(config_file, "the settings of the model");
    MarianConfig c = marian_config(json, folder.path_of(config_file));
    const Generation generation = generation_of(folder, json, c.specials);
    const PairOfVocabularies vocabularies =
        sentencepiece_pair(folder, c.specials, c.source_tokens, c.target_tokens);
    RenamedTensors tensors(folder.weights(weight_files()), folder.path());
    take_positions(tensors, c, c.encoder);
    take_positions(tensors, c, c.decoder);
    take_blocks(tensors, c, c.encoder, false);
    take_blocks(tensors, c, c.decoder, true);
    take_tables(tensors, c);
    take_bias(tensors, c, generation.closes_before_softmax);

    SafetensorsFile file =
        contents_of(folder, model_of(c), generation.search, std::move(tensors.taken));
    vocabularies.add_to(file);
    return file;
  }
};

}  // namespace

std::unique_ptr<Family> marian_family() { return std::make_unique<Marian>(); }

}  // namespace heed
