// Metadata: "format" = "heed 1", "config" (the model's settings as JSON), "fields" (kinds and
// settings of its fields as JSON; missing: text), "aliases" (JSON: for tied parameters, each
// further name with the name its tensor is saved under; missing: they are not compared), "search" (the settings of search that the model
// wants, as JSON; missing: none), "about.…" (free text).
//
// Tensors: every distinct parameter under its first name, with its scales where it is stored in bytes
// (quantised.h), then the vocabularies as bytes.
#include "heed/model/file/model_file.h"

#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/fields.h"
#include "heed/device/out_of_memory.h"
#include "heed/model/file/file_tensor.h"
#include "heed/model/file/quantised.h"

namespace heed {
namespace {

constexpr const char* format = "heed 1";
constexpr const char* about_prefix = "about.";
constexpr const char* vocabulary_prefix = "vocabulary.";
constexpr const char* optimiser_prefix = "optimiser.";
constexpr JsonLimits config_limits{
    .most_bytes = std::size_t{1} << 23, .most_depth = 64, .most_values = std::size_t{1} << 16};

/// Reports an Error about the contents of a file as a Fault::file.
template <class Act>
auto blaming(const std::string& who, Act&& act) {
  try {
    return act();
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", who, error.what()), Fault::file);
  }
}

FileTensor vocabulary_tensor(const std::string& which, const Vocabulary& vocabulary) {
  std::string bytes = vocabulary.to_bytes();
  const auto size = static_cast<int64_t>(bytes.size());
  return {vocabulary_prefix + which, DType::u8, {size}, std::move(bytes)};
}

std::shared_ptr<const Vocabulary> read_vocabulary(const FileTensor& tensor,
                                                  const std::string& who) {
  if (tensor.type != DType::u8) {
    fail(Fault::file, "{}: {} is stored as numbers, not as bytes; the file is corrupt", who,
         tensor.name);
  }
  return blaming(fmt::format("{}: {}", who, tensor.name), [&tensor] {
    return std::make_shared<const Vocabulary>(Vocabulary::from_bytes(tensor.bytes.text()));
  });
}

[[noreturn]] void fail_missing(const std::string& name, const std::string& who) {
  fail(Fault::file,
       "{}: the tensor {}, which its configuration needs, is missing; the file is incomplete", who,
       name);
}

const FileTensor& tensor_at(const SafetensorsFile& file, const std::string& name,
                            const std::string& who) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) {
    fail_missing(name, who);
  }
  return *tensor;
}

const std::string& metadata_at(const SafetensorsFile& file, const std::string& key,
                               const std::string& who) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    fail(Fault::file, "{}: its metadata has no \"{}\"; give a model that heed wrote", who, key);
  }
  return found->second;
}

/// Each further name of a tied parameter with the name it is saved under, as JSON text.
std::string aliases_of(Model& model) {
  std::unordered_map<const Tensor::Body*, std::string> first_names;
  Json aliases = Json::object();
  for (const NamedParameter& parameter : parameters_of(model)) {
    const auto [first, is_new] =
        first_names.try_emplace(&*parameter.tensor->body(), parameter.name);
    if (!is_new) {
      aliases.append(parameter.name, first->second);
    }
  }
  return aliases.write();
}

/// The tensors that may be weights of a model.
WeightRoom room_in(const SafetensorsFile& file, const std::string& ignored_prefix) {
  WeightRoom room;
  for (const FileTensor& tensor : file.tensors) {
    const bool is_ignored = !ignored_prefix.empty() && tensor.name.starts_with(ignored_prefix);
    if (!is_ignored && !tensor.name.starts_with(vocabulary_prefix)) {
      room.tensors += 1;
      room.elements +=
          static_cast<int64_t>(tensor.bytes.size()) / static_cast<int64_t>(bytes_of(tensor.type));
    }
  }
  return room;
}

/// The tensors by their names.
using TensorNames = std::unordered_map<std::string_view, const FileTensor*>;

void check_nothing_beside(const SafetensorsFile& file, const std::vector<NamedParameter>& wanted,
                          const std::string& ignored_prefix, const std::string& who) {
  std::set<std::string> names;
  for (const NamedParameter& parameter : wanted) {
    names.insert(parameter.name);
    const FileTensor* tensor = file.find(parameter.name);
    if (tensor != nullptr && is_quantised(*tensor, *parameter.tensor)) {
      names.insert(scale_name(parameter.name));
    }
  }
  for (const FileTensor& tensor : file.tensors) {
    const bool is_known = names.count(tensor.name) > 0 ||
                          tensor.name.starts_with(vocabulary_prefix) ||
                          (!ignored_prefix.empty() && tensor.name.starts_with(ignored_prefix));
    if (!is_known) {
      fail(Fault::file, "{}: its configuration has no tensor {}; the file is corrupt", who,
           tensor.name);
    }
  }
}

}  // namespace

SafetensorsFile model_contents(const TrainedModel& trained) {
  Model& model = *trained.model;
  SafetensorsFile file;
  file.metadata["format"] = format;
  file.metadata["config"] = config_of(model).write();
  file.metadata["fields"] = config_of(trained.fields).write();
  file.metadata["aliases"] = aliases_of(model);
  if (!trained.search.get<Json::Object>()->empty()) {
    file.metadata["search"] = trained.search.write();
  }
  for (const auto& [key, value] : trained.about) {
    file.metadata[about_prefix + key] = value;
  }
  for (const NamedParameter& parameter : distinct_parameters_of(model)) {
    file.tensors.push_back(file_tensor(parameter.name, *parameter.tensor));
  }
  const Fields& fields = trained.fields;
  if (fields.shares_vocabulary()) {
    file.tensors.push_back(vocabulary_tensor("shared", fields.source->vocabulary()));
    return file;
  }
  if (fields.source->has_tokens()) {
    file.tensors.push_back(vocabulary_tensor("source", fields.source->vocabulary()));
  }
  file.tensors.push_back(vocabulary_tensor("target", fields.target->vocabulary()));
  return file;
}

void fill_weights(Model& model, const SafetensorsFile& file, const std::string& who,
                  const std::string& ignored_prefix) {
  const auto aliases = file.metadata.find("aliases");  // an imported model names none
  if (aliases != file.metadata.end() && aliases->second != aliases_of(model)) {
    fail(Fault::file,
         "{}: its parameters are not tied as in its configuration; the file is corrupt", who);
  }
  const std::vector<NamedParameter> parameters = distinct_parameters_of(model);
  check_nothing_beside(file, parameters, ignored_prefix, who);
  TensorNames named;
  for (const FileTensor& tensor : file.tensors) {
    named[tensor.name] = &tensor;
  }
  for (const NamedParameter& parameter : parameters) {  // all of them, before memory is written
    const auto found = named.find(parameter.name);
    if (found == named.end()) {
      fail_missing(parameter.name, who);
    }
    if (!is_quantised(*found->second, *parameter.tensor)) {
      check_fit(*parameter.tensor, *found->second, who);
    } else if (named.find(scale_name(parameter.name)) == named.end()) {
      fail_missing(scale_name(parameter.name), who);
    }
  }
  for (const NamedParameter& parameter : parameters) {
    const FileTensor& stored = *named.at(parameter.name);
    if (is_quantised(stored, *parameter.tensor)) {
      fill_from_quantised(*parameter.tensor, stored, *named.at(scale_name(parameter.name)), who);
    } else {
      fill_from(*parameter.tensor, stored, who);
    }
  }
}

Fields fields_from(const SafetensorsFile& file, const std::string& who) {
  FieldChoice choice;
  if (const auto found = file.metadata.find("fields"); found != file.metadata.end()) {
    const std::string in_fields = who + ": fields";
    const Json config = parse_json(found->second, in_fields, config_limits);
    blaming(in_fields, [&] { apply(choice, config); });
  }
  Fields fields = choice.made();
  const std::string prefix = vocabulary_prefix;
  if (const FileTensor* shared = file.find(prefix + "shared")) {
    fields.source->set_vocabulary(read_vocabulary(*shared, who));
    fields.target->set_vocabulary(fields.source->shared_vocabulary());
    return fields;
  }
  if (fields.source->has_tokens()) {
    fields.source->set_vocabulary(read_vocabulary(tensor_at(file, prefix + "source", who), who));
  }
  fields.target->set_vocabulary(read_vocabulary(tensor_at(file, prefix + "target", who), who));
  return fields;
}

Json model_config_from(const SafetensorsFile& file, const std::string& who) {
  return parse_json(metadata_at(file, "config", who), who + ": config", config_limits);
}

Json search_from(const SafetensorsFile& file, const std::string& who) {
  const auto found = file.metadata.find("search");
  if (found == file.metadata.end()) {
    return Json::object();
  }
  const std::string in_search = who + ": search";
  Json search = parse_json(found->second, in_search, config_limits);
  if (search.kind() != Json::Kind::object) {
    fail(Fault::file, "{}: this is no table of settings; the file is corrupt", in_search);
  }
  return search;
}

TrainedModel model_from(const SafetensorsFile& file, const Place& place, const std::string& who,
                        const std::string& ignored_prefix) {
  if (metadata_at(file, "format", who) != format) {
    fail(Fault::file, "{}: its format is \"{}\", not \"{}\"; use another version of heed", who,
         file.metadata.at("format"), format);
  }
  TrainedModel trained;
  trained.fields = fields_from(file, who);
  const Json config = model_config_from(file, who);
  trained.model = std::make_unique<Model>();
  blaming(who + ": config", [&] {
    apply(*trained.model, config);
    Init init = Init::unfilled(place, room_in(file, ignored_prefix));
    trained.model->build(trained.fields, init);
  });
  fill_weights(*trained.model, file, who, ignored_prefix);
  trained.search = search_from(file, who);
  trained.stored = stored_precision(file);
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(about_prefix)) {
      trained.about[key.substr(std::string(about_prefix).size())] = value;
    }
  }
  return trained;
}

void save_model(const std::string& path, const TrainedModel& trained) {
  write_safetensors(path, model_contents(trained));
}

TrainedModel load_model(const std::string& path, const Place& place) {
  UncheckedFile file = open_safetensors(path);
  try {
    TrainedModel trained = model_from(file.contents, place, path, optimiser_prefix);
    file.hash.get();
    return trained;
  } catch (const Error&) {
    if (file.hash.valid()) {
      file.hash.get();  // a damaged file is called that, whatever else is wrong with its contents
    }
    throw;
  }
}

}  // namespace heed
