#include "heed/import/hugging_face.h"

#include <algorithm>
#include <array>
#include <map>

#include "heed/base/error.h"
#include "heed/base/json_reader.h"
#include "heed/import/generation.h"
#include "heed/import/model_card.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

/// What a model file says about itself: from the model card, and the languages of its tokeniser.
std::map<std::string, std::string> about_of(ModelFolder& folder) {
  std::map<std::string, std::string> about;
  const auto keep = [&about](const std::string& key, const std::string& value) {
    if (!value.empty()) {
      about[key] = make_visible(value.substr(0, 200));
    }
  };
  if (folder.has("README.md")) {
    constexpr std::size_t most_bytes = std::size_t{1} << 16;
    const std::string text = folder.text("README.md", "the model card");
    const auto card = read_model_card(std::string_view(text).substr(0, most_bytes));
    for (const auto& [theirs, ours] :
         {std::pair{"license", "licence"}, std::pair{"language", "languages"}}) {
      if (const auto found = card.find(theirs); found != card.end()) {
        keep(ours, found->second);
      }
    }
  }
  const auto texts_of = [&](const char* file,
                            std::initializer_list<std::pair<const char*, const char*>> names) {
    if (!folder.has(file)) {
      return;
    }
    const Json settings = folder.json(file, "the settings of the tokeniser");
    const JsonReader reader(settings, folder.path_of(file));
    for (const auto& [theirs, ours] : names) {
      const auto found = reader.find(theirs);
      keep(ours, found && found->kind() == Json::Kind::text ? found->text() : "");
    }
  };
  texts_of("tokenizer_config.json",
           {{"source_lang", "source_language"}, {"target_lang", "target_language"}});
  texts_of(config_file, {{"_name_or_path", "source"}});
  return about;
}

}  // namespace

const std::vector<std::string>& weight_files() {
  static const std::vector<std::string> all = {"model.safetensors", "model.safetensors.index.json",
                                               "pytorch_model.bin", "pytorch_model.bin.index.json"};
  return all;
}

std::string model_type(ModelFolder& folder) {
  if (!folder.has(config_file)) {
    return {};
  }
  const Json config = folder.json(config_file, "the settings of the model");
  const auto found = JsonReader(config, folder.path_of(config_file)).find("model_type");
  return found && found->kind() == Json::Kind::text ? found->text() : std::string();
}

void ignore_usual(ForeignSettings& settings) {
  settings.ignore({"_name_or_path",
                   "_attn_implementation",
                   "_attn_implementation_autoset",
                   "architectures",
                   "attn_implementation",
                   "chunk_size_feed_forward",
                   "classifier_dropout",
                   "classif_dropout",
                   "dtype",
                   "finetuning_task",
                   "gradient_checkpointing",
                   "id2label",
                   "init_std",
                   "initializer_range",
                   "is_composition",
                   "label2id",
                   "model_type",
                   "num_labels",
                   "problem_type",
                   "return_dict",
                   "sep_token_id",
                   "task_specific_params",
                   "tf_legacy_loss",
                   "tokenizer_class",
                   "torch_dtype",
                   "torchscript",
                   "use_bfloat16",
                   "use_cache"});
  settings.must_be("add_cross_attention", false);
  settings.must_be("cross_attention_hidden_size", Json());
  settings.must_be("is_decoder", false);
  settings.must_be("is_encoder_decoder", true);
  settings.must_be("prefix", Json());
  settings.must_be("pruned_heads", Json());
  settings.must_be("tie_encoder_decoder", false);
  ignore_generation(settings);
}

const char* activation_named_by(std::string_view theirs) {
  struct Named {
    std::string_view theirs;
    const char* ours;
  };
  constexpr std::array<Named, 8> all{{{"relu", "relu"},
                                      {"gelu", "gelu"},
                                      {"gelu_new", "gelu_tanh"},
                                      {"gelu_pytorch_tanh", "gelu_tanh"},
                                      {"swish", "silu"},
                                      {"silu", "silu"},
                                      {"tanh", "tanh"},
                                      {"sigmoid", "sigmoid"}}};
  const auto* const found = std::find_if(
      all.begin(), all.end(), [theirs](const Named& one) { return one.theirs == theirs; });
  return found == all.end() ? nullptr : found->ours;
}

std::string activation_of(ForeignSettings& settings, std::string_view name,
                          std::string_view usual) {
  const char* const found = activation_named_by(settings.text(name, usual));
  if (found == nullptr) {
    settings.refuse(name);
  }
  return found;
}

SafetensorsFile contents_of(ModelFolder& folder, const Json& model, const Json& search,
                            std::vector<FileTensor> tensors) {
  SafetensorsFile file;
  file.metadata["format"] = "heed 1";
  file.metadata["config"] = model.write();
  file.metadata["search"] = search.write();
  for (const auto& [key, value] : about_of(folder)) {
    file.metadata["about." + key] = value;
  }
  file.tensors = std::move(tensors);
  return file;
}

}  // namespace heed
