#include "heed/train/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/data_plan.h"
#include "heed/model/file/file_tensor.h"

namespace heed {
namespace {

constexpr const char* optimiser_prefix = "optimiser.";

Json metadata_json(const SafetensorsFile& file, const std::string& key, const std::string& who) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    fail(Fault::file, "{}: its metadata has no \"{}\"; it is not a checkpoint of heed", who, key);
  }
  return parse_json(found->second, who + ": " + key, {.most_values = size_t{1} << 16});
}

void require_same(const Json& before, const Json& now, const char* what, const std::string& who) {
  const std::vector<std::string> all = differences(before, now);
  if (!all.empty()) {
    fail(Fault::usage,
         "{}: this run's {} differs ({}{}), and a run can continue only with the same; change it "
         "back, or start over in another folder (or with --fresh)",
         who, what, all.front(),
         all.size() > 1 ? fmt::format(", and {} more", all.size() - 1) : "");
  }
}

/// The state of the training's parts, by its names in a checkpoint.
std::vector<NamedParameter> remembered_by(const Training& training) {
  std::vector<NamedParameter> all;
  for (const NamedParameter& one : training.optimiser->state()) {
    all.push_back({optimiser_prefix + one.name, one.tensor});
  }
  for (const NamedParameter& one : training.average->state()) {
    all.push_back({fmt::format("{}average.{}", optimiser_prefix, one.name), one.tensor});
  }
  for (const NamedParameter& one : training.objectives.state()) {
    all.push_back({fmt::format("{}objective.{}", optimiser_prefix, one.name), one.tensor});
  }
  return all;
}

Json state_json(const RunState& state, const Training& training) {
  Json json = json_of(state);
  json.set("updates", training.optimiser->updates());
  json.set("averaged", training.average->taken());
  for (const NamedNumber& one : training.objectives.numbers()) {
    json.set("objective." + one.name, *one.value);
  }
  return json;
}

void require_same_vocabulary(const SafetensorsFile& file, const std::string& which,
                             const Vocabulary& vocabulary, const std::string& who) {
  const FileTensor* saved = file.find("vocabulary." + which);
  if (saved == nullptr || !(saved->bytes == vocabulary.to_bytes())) {
    fail(Fault::usage,
         "{}: this run's {} vocabulary is not the data's: the training text has changed; change it "
         "back, or start over in another folder (or with --fresh)",
         who, which);
  }
}

void require_same_vocabularies(const SafetensorsFile& file, const TrainedModel& trained,
                               const std::string& who) {
  const Fields& fields = trained.fields;
  if (fields.shares_vocabulary()) {
    require_same_vocabulary(file, "shared", fields.source->vocabulary(), who);
    return;
  }
  if (fields.source->has_tokens()) {
    require_same_vocabulary(file, "source", fields.source->vocabulary(), who);
  }
  require_same_vocabulary(file, "target", fields.target->vocabulary(), who);
}

/// The settings as they would be written today: settings that an older heed did not know get their
/// defaults. A tree that cannot be read is returned unchanged, and then differs.
template <class Owner>
Json completed(const Json& before) {
  try {
    Owner owner;
    apply(owner, before);
    return config_of(owner);
  } catch (const Error&) {
    return before;
  }
}

/// The same for a run's data: its settings and the hash of its items.
Json completed_data(Json data) {
  const auto* members = data.get<Json::Object>();
  for (const Json::Member& member : members == nullptr ? Json::Object() : *members) {
    if (member.key == "settings") {
      data.set("settings", completed<DataPlan>(member.value));
    }
  }
  return data;
}

/// Whether the file holds what was written, and nothing more. It is compared piece by piece.
bool holds(const std::string& path, const FormattedFile& written) {
  const Descriptor file = open_to_read(path);
  std::string piece;
  bool is_same = true;
  written.each([&](std::string_view expected) {
    piece.resize(expected.size());
    size_t filled = 0;
    for (size_t got = 1; got > 0 && filled < piece.size(); filled += got) {
      got = read_some(file, path, piece.data() + filled, piece.size() - filled);
    }
    is_same = is_same && filled == expected.size() && piece == expected;
  });
  char beyond = 0;
  return is_same && read_some(file, path, &beyond, 1) == 0;
}

/// What cannot be read back counts as not written.
void require_written(const std::string& path, const FormattedFile& written) {
  std::string fault = "read back other bytes than were written";
  try {
    if (holds(path, written)) {
      return;
    }
  } catch (const Error& error) {
    fault = fmt::format("cannot be read back ({})", error.what());
  }
  ::unlink(path.c_str());
  fail(Fault::disk, "{}: {}, so it was removed; the disk is failing, older checkpoints are kept",
       path, fault);
}

}  // namespace

std::vector<std::string> differences(const Json& before, const Json& now, const std::string& path) {
  const auto* old_members = before.get<Json::Object>();
  const auto* new_members = now.get<Json::Object>();
  if (old_members == nullptr || new_members == nullptr) {
    return before == now ? std::vector<std::string>{}
                         : std::vector<std::string>{
                               fmt::format("{} was {}, is {}", path, before.write(), now.write())};
  }
  std::vector<std::string> all;
  const auto value_in = [](const Json::Object& members, const std::string& key) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&key](const Json::Member& m) { return m.key == key; });
    return found == members.end() ? Json() : found->value;
  };
  const auto compare = [&](const std::string& key) {
    const std::string below = path.empty() ? key : path + "." + key;
    const auto some = differences(value_in(*old_members, key), value_in(*new_members, key), below);
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const Json::Member& member : *old_members) {
    compare(member.key);
  }
  for (const Json::Member& member : *new_members) {
    if (value_in(*old_members, member.key) == Json() && !(member.value == Json())) {
      compare(member.key);
    }
  }
  return all;
}

SafetensorsFile checkpoint_contents(const TrainedModel& trained, const Training& training,
                                    const RunState& state, const RunSettings& settings) {
  SafetensorsFile file = model_contents(trained);
  file.metadata["state"] = state_json(state, training).write();
  file.metadata["data"] = settings.data.write();
  file.metadata["training"] = settings.training.write();
  for (const NamedParameter& one : remembered_by(training)) {
    file.tensors.push_back(file_tensor(one.name, *one.tensor));
  }
  return file;
}

RunSettings run_settings(const Json& data, const Corpus& train, Training& training) {
  Json all = Json::object();
  all.set("settings", data);
  all.set("train_hash", train.hash());
  return {all, config_of(training)};
}

RunState resume_from(const SafetensorsFile& file, TrainedModel& trained, Training& training,
                     const RunSettings& settings, const std::string& who,
                     std::vector<std::string>& changes) {
  require_same(completed<Model>(metadata_json(file, "config", who)), config_of(*trained.model),
               "model", who);
  require_same(completed_data(metadata_json(file, "data", who)), settings.data, "data", who);
  require_same_vocabularies(file, trained, who);
  changes =
      differences(completed<Training>(metadata_json(file, "training", who)), settings.training);
  const std::vector<NamedParameter> remembered = remembered_by(training);
  for (const NamedParameter& one : remembered) {
    if (file.find(one.name) == nullptr) {
      fail(Fault::usage,
           "{}: it has no {}, which optimiser, average and objectives need to continue; keep them "
           "and their settings as they were, or start over in another folder (or with --fresh)",
           who, one.name);
    }
  }
  fill_weights(*trained.model, file, who, optimiser_prefix);
  for (const NamedParameter& one : remembered) {
    fill_from(*one.tensor, *file.find(one.name), who);
  }
  const Json state = metadata_json(file, "state", who);
  const JsonReader reader(state, who + ": state");
  RunState run = run_state_of(reader);
  training.optimiser->set_updates(reader.at("updates").integer(0, run.step));
  training.average->set_taken(integer_or(reader, "averaged", 0, run.step));
  for (const NamedNumber& one : training.objectives.numbers()) {
    *one.value = reader.at("objective." + one.name).number();
  }
  return run;
}

Checkpoints::Checkpoints(std::string folder, int64_t keep)
    : folder_(std::move(folder)), keep_(std::max<int64_t>(keep, 2)) {}

std::string Checkpoints::path_of(int64_t step) const {
  return fmt::format("{}/step-{:08}.safetensors", folder_, step);
}

std::vector<int64_t> Checkpoints::steps() const {
  constexpr std::string_view opening = "step-";
  std::vector<int64_t> all;
  for (const std::string& name : list_directory(folder_)) {
    int64_t step = -1;
    if (name.starts_with(opening)) {
      std::from_chars(name.data() + opening.size(), name.data() + name.size(), step);
    }
    if (step >= 0 && path_of(step) == folder_ + "/" + name) {
      all.push_back(step);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string Checkpoints::save(int64_t step, const SafetensorsFile& contents) const {
  std::string path = path_of(step);
  ::mkdir(folder_.c_str(),
          0777);  // it may have been deleted; if it cannot be made, writing says so
  const FormattedFile formatted(contents);
  write_safetensors(path, formatted);
  require_written(path, formatted);
  remove_older(step);
  return path;
}

void Checkpoints::remove_older(int64_t step) const {
  std::vector<int64_t> whole;
  try {
    whole = steps();
  } catch (const Error&) {
    return;  // the new one is safe; the next save removes the old ones
  }
  // Checkpoints of later steps do not count: they were refused when the run resumed.
  whole.erase(std::upper_bound(whole.begin(), whole.end(), step), whole.end());
  for (int64_t i = 0; i + keep_ < static_cast<int64_t>(whole.size()); ++i) {
    ::unlink(path_of(whole[static_cast<size_t>(i)]).c_str());
  }
}

std::optional<Checkpoints::Found> Checkpoints::newest() const {
  const std::vector<int64_t> all = directory_exists(folder_) ? steps() : std::vector<int64_t>{};
  std::vector<std::string> refused;
  for (auto step = all.rbegin(); step != all.rend(); ++step) {
    try {
      return Found{path_of(*step), read_safetensors(path_of(*step)), refused};
    } catch (const Error& error) {
      refused.emplace_back(error.what());
    }
  }
  if (!refused.empty()) {
    fail(Fault::file,
         "{}: there are {} checkpoints, and none is whole ({}); start over in another folder (or "
         "with --fresh)",
         folder_, refused.size(), refused.front());
  }
  return std::nullopt;
}

}  // namespace heed
