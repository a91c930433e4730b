#include "heed/train/keeper.h"

#include <utility>

#include "heed/base/error.h"

namespace heed {

Keeper::Keeper(const RunFolder& folder, Training& training, TrainedModel& trained,
               RunSettings settings, const RunHooks& hooks)
    : folder_(folder),
      training_(training),
      trained_(trained),
      settings_(std::move(settings)),
      hooks_(hooks),
      checkpoints_(folder.checkpoints(), training.keep) {}

RunState Keeper::resume(std::optional<Checkpoints::Found> found) {
  if (!found) {
    found = checkpoints_.newest();
  }
  if (!found) {
    return {};
  }
  for (const std::string& refused : found->refused) {
    hooks_.say("skipping a checkpoint that is not whole: " + refused);
  }
  std::vector<std::string> changes;
  RunState state = resume_from(found->file, trained_, training_, settings_, found->path, changes);
  checkpoint_ = found->path;
  saved_ = state;
  hooks_.say(fmt::format("resuming after step {} from {}", state.step, found->path));
  for (const std::string& change : changes) {
    hooks_.say("continuing with a changed setting: " + change);
  }
  return state;
}

void Keeper::hold_model(int64_t step, const std::string& score) {
  SafetensorsFile contents = model_contents(trained_);
  contents.metadata["about.step"] = std::to_string(step);
  if (!score.empty()) {
    contents.metadata["about.score"] = score;
  }
  for (FileTensor& tensor : contents.tensors) {
    tensor.bytes = tensor.bytes.text();  // as it is now: training changes it
  }
  held_ = std::move(contents);
}

void Keeper::write_model() {
  try_to("the best model is not saved", [this] { write_held_model(); });
}

void Keeper::save(const RunState& state, bool must) {
  if (must) {
    write_checkpoint(state);
  } else {
    try_to(fmt::format("step {} is not saved", state.step), [&] { write_checkpoint(state); });
  }
}

void Keeper::try_to(const std::string& otherwise, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    if (error.fault() != Fault::disk) {
      throw;
    }
    hooks_.warn(fmt::format("{}: {}; training continues and tries again; the last checkpoint is {}",
                            otherwise, error.what(), checkpoint_.value_or("none")));
  }
}

void Keeper::write_held_model() {
  if (held_) {
    write_safetensors(folder_.model(), *held_);
    held_.reset();
  }
}

void Keeper::write_checkpoint(const RunState& state) {
  write_held_model();  // first, because a run that resumes from this checkpoint would miss it
  checkpoint_ =
      checkpoints_.save(state.step, checkpoint_contents(trained_, training_, state, settings_));
  saved_ = state;
}

}  // namespace heed
