#include "heed/engine/answer/model_choice.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/engine/answer/label_writer.h"
#include "heed/engine/answer/serve_front_end.h"
#include "heed/engine/shelf/place.h"
#include "heed/import/import.h"
#include "heed/model/monotonic_decoding.h"
#include "heed/nn/precision.h"

namespace heed {
const AnswerKind& kind_given_by(const TrainedModel& trained) {
  return as<Labelling>(trained.model->decoder()) != nullptr
             ? answer_kind("label")
             : answer_kind(source_kind(*trained.fields.source));
}

void ChosenModels::load(const ModelChoice& choice, const ModelShelf& shelf, const Say& say) {
  choice_ = choice;
  shelf_ = shelf;
  if (choice_.models.empty()) {
    choice_.models.emplace_back();
  }
  const Place place = place_on(choice_.backend);
  for (const std::string& name : choice_.models) {
    const std::string& file = files_.emplace_back(file_of(name));
    loaded_.push_back(load_any_model(file, place));
    if (!choice_.front_end.empty()) {
      use_front_end(loaded_.back(), choice_.front_end, file);
    }
    check_kind(loaded_.back(), file);
    if (say) {  // counted before the weights are packed
      say(fmt::format("{}: {} parameters, products in {}", file,
                      count_parameters(*loaded_.back().model), choice_.precision));
    }
  }
  for (const TrainedModel& trained : loaded_) {
    if (choice_.is_monotonic) {
      look_forwards_only(*trained.model);
    }
    serve(*trained.model, precision_named(choice_.precision));
    together_.push_back(&trained);
  }
  check_same_vocabularies(together_, choice_.models);
}

std::string ChosenModels::file_of(const std::string& name) const {
  if (kind_->labels && name.empty()) {
    fail(Fault::usage,
         "{}: no model is named, and none of the bundled models gives labels; name one: -m FILE",
         kind_->verb);
  }
  return shelf_.path_of(name, kind_->verb, kind_->shelf);
}

/// Fails if another kind of answer is meant.
void ChosenModels::check_kind(const TrainedModel& trained, const std::string& file) const {
  const Decoder& decoder = trained.model->decoder();
  const bool labels = as<Labelling>(decoder) != nullptr;
  if (kind_->labels && !labels) {
    fail(Fault::usage, "{}: {} writes text (its decoder is {}) and gives no labels; use heed {}",
         kind_->verb, file, decoder.kind(), answer_kind(source_kind(*trained.fields.source)).verb);
  }
  if (!kind_->labels && labels) {
    fail(Fault::usage, "{}: {} gives labels (its decoder is {}) and writes no text; use heed label",
         kind_->verb, file, decoder.kind());
  }
  if (!kind_->labels) {
    check_source(trained, file);
  } else if (!choice_.kept_label.empty()) {
    check_kept(trained, choice_.kept_label, kind_->verb);
  }
}

void ChosenModels::check_source(const TrainedModel& trained, const std::string& file) const {
  const Field& source = *trained.fields.source;
  const AnswerKind& own = answer_kind(source_kind(source));
  if (own.reads == kind_->reads) {
    return;
  }
  const std::string what = source.has_tokens()                 ? "text"
                           : source.is_none()                  ? "no source"
                           : own.reads == SourceKind::pictures ? own.what
                                                               : source.kind();
  const bool may_be_heard = kind_->reads == SourceKind::sound && source.kind() == "features";
  fail(Fault::usage, "{}: {} reads {}, and this command is for models that read {}; use heed {}{}",
       kind_->verb, file, what, kind_->what, own.verb,
       may_be_heard ? ", or name the front end that made its features: `features` NAME" : "");
}

const Model* ChosenModels::load_language_model() {
  if (choice_.language_model.empty()) {
    return nullptr;
  }
  language_file_ = shelf_.path_of(choice_.language_model, kind_->verb);
  language_.push_back(load_any_model(language_file_, place_on(choice_.backend)));
  const TrainedModel& language = language_.front();
  check_language_model(language, first(), fmt::format("{}: `lm`: {}", kind_->verb, language_file_));
  serve(*language.model, precision_named(choice_.precision));
  return language.model.get();
}

std::string ChosenModels::drawn_name(size_t i) const {
  const std::filesystem::path file(choice_.models[i]);
  const bool is_of_run = file.filename() == "model.safetensors" && file.has_parent_path();
  return is_of_run ? file.parent_path().filename().string() : file.stem().string();
}

std::vector<std::string> ChosenModels::files() const {
  std::vector<std::string> all = files_;
  if (!language_file_.empty()) {
    all.push_back(language_file_);
  }
  return all;
}

bool ChosenModels::align() const {
  return std::any_of(loaded_.begin(), loaded_.end(),
                     [](const TrainedModel& trained) { return trained.model->decoder().aligns(); });
}

}  // namespace heed
