// whisper: OpenAI's transcriber of 30 seconds as folders of transformers have it. Spectra (media's
// preset whisper), two convolutions of which the second halves the rows, a Transformer with norms
// before its branches whose keys have no bias, learnt positions, a tied output. What is said begins
// behind tokens for the language, the task and "no times": the `start` of the search.
#include <algorithm>
#include <optional>
#include <set>

#include "heed/import/byte_vocabulary.h"
#include "heed/import/families.h"
#include "heed/import/generation.h"
#include "heed/import/hugging_face.h"
#include "heed/import/renamed_tensors.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::int64_t most_whisper_width = 1 << 14;
constexpr std::int64_t most_whisper_tokens = 1 << 19;
constexpr std::int64_t most_whisper_positions = 1 << 16;
constexpr std::int64_t whisper_rate = 16'000;
constexpr std::int64_t whisper_rows_per_second = 50;  // of the encoder
constexpr const char* spectra_file = "preprocessor_config.json";
constexpr const char* start_file = "generation_config.json";

struct WhisperSide {
  const char* name;  // "encoder"
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  std::int64_t positions = 0;
};

/// What config.json says, and preprocessor_config.json.
struct WhisperConfig {
  std::int64_t width = 0;
  std::int64_t tokens = 0;
  std::int64_t filters = 0;
  std::int64_t seconds = 0;
  WhisperSide encoder{"encoder"};
  WhisperSide decoder{"decoder"};
  std::string activation;
  double dropout = 0;
  double attention_dropout = 0;
  double activation_dropout = 0;
  ForeignSpecials specials;
};

WhisperSide whisper_side(ForeignSettings& settings, const char* name, const char* positions,
                         std::int64_t width) {
  const auto key = [name](const char* what) { return fmt::format("{}_{}", name, what); };
  WhisperSide side{name};
  side.layers = settings.whole(key("layers"), 1, 256);
  side.heads = settings.whole(key("attention_heads"), 1, width);
  side.inner = settings.whole(key("ffn_dim"), 1, most_whisper_width * 4);
  side.positions = settings.whole(positions, 1, most_whisper_positions);
  settings.ignore({key("layerdrop")});
  if (width % side.heads != 0) {
    fail(Fault::file, "config.json: {} heads cannot share a width of {}", side.heads, width);
  }
  return side;
}

WhisperConfig whisper_config(const Json& json, const std::string& who) {
  ForeignSettings settings(json, who);
  WhisperConfig out;
  out.width = settings.whole("d_model", 1, most_whisper_width);
  out.tokens = settings.whole("vocab_size", 260, most_whisper_tokens);
  out.filters = settings.whole("num_mel_bins", 1, 1024, 80);
  out.encoder = whisper_side(settings, "encoder", "max_source_positions", out.width);
  out.decoder = whisper_side(settings, "decoder", "max_target_positions", out.width);
  out.activation = activation_of(settings, "activation_function", "gelu");
  out.dropout = settings.number("dropout", 0, 0.99, 0);
  out.attention_dropout = settings.number("attention_dropout", 0, 0.99, 0);
  out.activation_dropout = settings.number("activation_dropout", 0, 0.99, 0);
  const auto token = [&](const char* name, std::optional<std::int64_t> usual) {
    return static_cast<TokenId>(settings.whole(name, 0, out.tokens - 1, usual));
  };
  out.specials.end = token("eos_token_id", {});
  out.specials.padding = token("pad_token_id", out.specials.end);
  out.specials.start = token("decoder_start_token_id", {});
  settings.must_be("scale_embedding", false);
  settings.must_be("tie_word_embeddings", true);
  // Of training, of a classifier, and of times.
  settings.ignore({"apply_spec_augment", "classifier_proj_size", "mask_feature_length",
                   "mask_feature_min_masks", "mask_feature_prob", "mask_time_length",
                   "mask_time_min_masks", "mask_time_prob", "median_filter_width",
                   "num_hidden_layers", "use_weighted_layer_sum"});
  ignore_usual(settings);
  settings.finish();
  return out;
}

/// The spectra must be those that media has under the name whisper.
void read_whisper_front(ModelFolder& folder, WhisperConfig& c) {
  const Json none = Json::object();
  const Json json =
      folder.has(spectra_file) ? folder.json(spectra_file, "the settings of the spectra") : none;
  ForeignSettings settings(json, folder.path_of(spectra_file));
  c.seconds = settings.whole("chunk_length", 1, 120, 30);
  settings.must_be("feature_size", c.filters);
  settings.must_be("sampling_rate", whisper_rate);
  settings.must_be("hop_length", 160);
  settings.must_be("n_fft", 400);
  settings.must_be("padding_value", 0);
  settings.must_be("dither", 0);
  settings.must_be("do_normalize", false);
  settings.must_be("n_samples", c.seconds * whisper_rate);
  settings.must_be("nb_max_frames", c.seconds * 2 * whisper_rows_per_second);
  settings.ignore({"feature_extractor_type", "mel_filters", "padding_side", "processor_class",
                   "return_attention_mask"});
  settings.finish();
  if (c.encoder.positions != c.seconds * whisper_rows_per_second) {
    fail(Fault::file,
         "{}: the encoder has {} positions, and {} seconds have {} rows; get the files again",
         folder.path(), c.encoder.positions, c.seconds, c.seconds * whisper_rows_per_second);
  }
}

Json whisper_stack(const WhisperConfig& c, const WhisperSide& side) {
  Json inner = Json::object()
                   .set("width", side.inner)
                   .set("activation", c.activation)
                   .set("dropout", c.activation_dropout);
  return Json::object()
      .set("kind", "transformer")
      .set("width", c.width)
      .set("depth", side.layers)
      .set("placement", "pre")
      .set("position", Json::object().set("kind", "learned").set("maximum", side.positions))
      .set("dropout", c.dropout)
      .set("norm", Json::object().set("kind", "layer_norm").set("epsilon", 1e-5))
      .set("self", Json::object().set("heads", side.heads).set("dropout", c.attention_dropout))
      .set("feed_forward", std::move(inner));
}

Json whisper_model(const WhisperConfig& c) {
  Json front = Json::object()
                   .set("kind", "subsample")
                   .set("normalise", false)
                   .set("depth", 2)
                   .set("strides", Json::array().push(1).push(2))
                   .set("project", false)
                   .set("activation", "gelu");
  Json decoder = whisper_stack(c, c.decoder);
  decoder
      .set("cross",
           Json::object().set("heads", c.decoder.heads).set("dropout", c.attention_dropout))
      .set("tied", true)
      .set("scaled_embedding", false);
  return Json::object()
      .set("embedding", c.width)
      .set("share_embeddings", false)
      .set("front", std::move(front))
      .set("encoder", whisper_stack(c, c.encoder))
      .set("decoder", std::move(decoder));
}

Json whisper_fields(const WhisperConfig& c) {
  Json source = Json::object()
                    .set("kind", "sound")
                    .set("features", "whisper")
                    .set("filters", c.filters)
                    .set("fill_seconds", c.seconds)
                    .set("normalise", "none");
  return Json::object()
      .set("source", std::move(source))
      .set("target", Json::object().set("kind", "text"));
}

/// A convolution [out, in, kernel] as heed has it, [out, kernel, in].
void take_whisper_convolution(RenamedTensors& tensors, int number, std::int64_t out,
                              std::int64_t in) {
  constexpr std::int64_t kernel = 3;
  const std::string ours = fmt::format("source.convolution.{}", number);
  const std::string theirs = fmt::format("model.encoder.conv{}", number + 1);
  tensors.take(ours + ".bias", {theirs + ".bias"}, {out});
  tensors.take(ours + ".weight", {theirs + ".weight"}, {out, in, kernel});
  FileTensor& weight = tensors.taken.back();
  const std::string stored = weight.bytes.text();
  const std::size_t size = bytes_of(weight.type);
  std::string turned;
  turned.reserve(stored.size());
  for (std::int64_t o = 0; o < out; ++o) {
    for (std::int64_t k = 0; k < kernel; ++k) {
      for (std::int64_t i = 0; i < in; ++i) {
        turned.append(stored, static_cast<std::size_t>((o * in + i) * kernel + k) * size, size);
      }
    }
  }
  weight.bytes = FileBytes(std::move(turned));
  weight.shape = {out, kernel, in};
}

void take_whisper_attention(RenamedTensors& tensors, const std::string& ours,
                            const std::string& theirs, std::int64_t width) {
  tensors.take_linear(ours + ".query", theirs + ".q_proj", width, width);
  tensors.take(ours + ".key.weight", {theirs + ".k_proj.weight"}, {width, width});
  tensors.taken.push_back({ours + ".key.bias",
                           DType::f32,
                           {width},
                           std::string(static_cast<std::size_t>(width) * sizeof(float), '\0')});
  tensors.take_linear(ours + ".value", theirs + ".v_proj", width, width);
  tensors.take_linear(ours + ".output", theirs + ".out_proj", width, width);
}

void take_whisper_side(RenamedTensors& tensors, const WhisperConfig& c, const WhisperSide& side,
                       bool crosses) {
  const std::string whole = fmt::format("model.{}", side.name);
  tensors.take(fmt::format("{}.positions.table", side.name), {whole + ".embed_positions.weight"},
               {side.positions, c.width});
  for (std::int64_t n = 0; n < side.layers; ++n) {
    const std::string ours = fmt::format("{}.block.{}", side.name, n);
    const std::string theirs = fmt::format("{}.layers.{}", whole, n);
    take_whisper_attention(tensors, ours + ".self", theirs + ".self_attn", c.width);
    tensors.take_norm(ours + ".self_norm", theirs + ".self_attn_layer_norm", c.width);
    if (crosses) {
      take_whisper_attention(tensors, ours + ".cross", theirs + ".encoder_attn", c.width);
      tensors.take_norm(ours + ".cross_norm", theirs + ".encoder_attn_layer_norm", c.width);
    }
    tensors.take_linear(ours + ".feed_forward.inner", theirs + ".fc1", side.inner, c.width);
    tensors.take_linear(ours + ".feed_forward.outer", theirs + ".fc2", c.width, side.inner);
    tensors.take_norm(ours + ".feed_forward_norm", theirs + ".final_layer_norm", c.width);
  }
  tensors.take_norm(fmt::format("{}.final_norm", side.name), whole + ".layer_norm", c.width);
}

/// The tokens before an output, as transformers' generate() finds them.
class StartReading {
 public:
  StartReading(ModelFolder& folder, const Json& config, const ByteVocabulary& vocabulary)
      : who_(folder.path_of(start_file)),
        vocabulary_(vocabulary),
        config_(config),
        own_(folder.json(start_file, "the tokens before every text")),
        settings_(own_, who_) {}

  /// Sets the start, and the most words: generate() does not count those of the start, but they
  /// have positions.
  void read_into(Json& search, std::int64_t positions) {
    const std::string start = read();
    const bool counts_new = settings_.find("max_new_tokens").has_value();
    const std::int64_t asked =
        JsonReader(search, who_).at("max_length").integer() + (counts_new ? 0 : 1);
    const auto before = static_cast<std::int64_t>(places_.size());
    const std::int64_t most = std::max<std::int64_t>(std::min(asked, positions - 1 - before), 1);
    search.set("max_length", most).set("max_length_margin", most).set("start", start);
  }

 private:
  std::string read() {
    settings_.must_be("return_timestamps", false);
    const bool has_language = settings_.find("language").has_value();
    const bool has_task = settings_.find("task").has_value();
    if (!has_language && !has_task) {
      take_forced();
    }
    take_language(has_language);
    take_task(has_language, has_task);
    if (const auto token = settings_.find("no_timestamps_token_id")) {
      if (const std::string name = name_of(*token); places_.empty() || places_.back() != name) {
        places_.push_back(name);
      }
    }
    std::string start;
    for (const std::string& place : places_) {
      start += place;
    }
    return start;
  }

  /// An added token, which no text can spell.
  std::string name_of(const JsonReader& id) const {
    const auto count = static_cast<std::int64_t>(vocabulary_.tokens.size());
    const auto number = static_cast<TokenId>(id.integer(0, count - 1));
    if (!std::binary_search(vocabulary_.added.begin(), vocabulary_.added.end(), number)) {
      id.refuse("the number of an added token");
    }
    return vocabulary_.tokens[static_cast<std::size_t>(number)];
  }

  /// [[1, 50259], [2, 50359]], of older folders; no number stands for any language.
  void take_forced() {
    auto found = settings_.find("forced_decoder_ids");
    const JsonReader config(config_, "config.json");
    found = found ? found : config.find("forced_decoder_ids");
    if (!found || found->is_null()) {
      return;
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
      const JsonReader pair = found->at(i);
      if (pair.size() != 2 ||
          pair.at(std::size_t{0}).integer() != static_cast<std::int64_t>(i) + 1) {
        pair.refuse(fmt::format("the place {} and a token", i + 1));
      }
      places_.push_back(pair.at(1).is_null() ? "" : name_of(pair.at(1)));
    }
  }

  void take_language(bool has_language) {
    const auto all = settings_.find("lang_to_id");
    const bool is_open = places_.empty() || places_.front().empty();
    std::string languages;
    if (has_language) {
      languages = language_named(settings_.find("language")->text());
    } else if (all && is_open) {
      for (const JsonReader::Member& one : all->members()) {
        languages += (languages.empty() ? "" : "/") + name_of(one.value);
      }
    }
    if (places_.empty() && !languages.empty()) {
      places_.push_back(languages);
    } else if (!places_.empty() && (!languages.empty() || is_open)) {
      places_.front() = languages;
    }
  }

  std::string language_named(const std::string& language) const {
    std::string name = language.starts_with("<|") ? language : "<|" + language + "|>";
    vocabulary_.added_token(name, who_);
    return name;
  }

  void take_task(bool has_language, bool has_task) {
    const auto all = settings_.find("task_to_id");
    if (!all || !(has_task || has_language)) {
      return;
    }
    std::set<std::string> tasks;
    for (const JsonReader::Member& one : all->members()) {
      tasks.insert(name_of(one.value));
    }
    const auto there = std::find_if(places_.begin(), places_.end(),
                                    [&tasks](const auto& place) { return tasks.count(place) > 0; });
    const std::string task =
        name_of(all->at(has_task ? settings_.find("task")->text() : "transcribe"));
    if (there == places_.end()) {
      places_.push_back(task);
    } else if (has_task) {
      *there = task;
    }
  }

  std::string who_;
  const ByteVocabulary& vocabulary_;
  const Json& config_;
  Json own_;
  ForeignSettings settings_;
  std::vector<std::string> places_;
};

class Whisper : public Family {
 public:
  bool owns(ModelFolder& folder) const override { return model_type(folder) == "whisper"; }

  SafetensorsFile read(ModelFolder& folder) const override {
    const Json json = folder.json(config_file, "the settings of the model");
    WhisperConfig c = whisper_config(json, folder.path_of(config_file));
    read_whisper_front(folder, c);
    const ByteVocabulary vocabulary = byte_vocabulary(folder, c.tokens);
    // Those that the start is read from, and those of times.
    Generation generation =
        generation_of(folder, json, c.specials,
                      {"alignment_heads", "forced_decoder_ids", "is_multilingual", "lang_to_id",
                       "language", "max_initial_timestamp_index", "no_timestamps_token_id",
                       "prev_sot_token_id", "return_timestamps", "task", "task_to_id"});
    StartReading(folder, json, vocabulary).read_into(generation.search, c.decoder.positions);
    RenamedTensors tensors(folder.weights(weight_files()), folder.path());
    take_whisper_convolution(tensors, 0, c.width, c.filters);
    take_whisper_convolution(tensors, 1, c.width, c.width);
    take_whisper_side(tensors, c, c.encoder, false);
    take_whisper_side(tensors, c, c.decoder, true);
    tensors.take_tied("decoder.embedding.table",
                      {"model.decoder.embed_tokens.weight", "proj_out.weight"},
                      {c.tokens, c.width});

    SafetensorsFile file =
        contents_of(folder, whisper_model(c), generation.search, std::move(tensors.taken));
    file.metadata["fields"] = whisper_fields(c).write();
    const std::string bytes = vocabulary.bytes(c.specials, folder.path());
    file.tensors.push_back(
        {"vocabulary.target", DType::u8, {static_cast<std::int64_t>(bytes.size())}, bytes});
    return file;
  }
};

}  // namespace

std::unique_ptr<Family> whisper_family() { return std::make_unique<Whisper>(); }

}  // namespace heed
