#include "heed/train/objective_list.h"

#include <algorithm>

#include "heed/attention/gradient_stops.h"
#include "heed/base/error.h"
#include "heed/ops/arithmetic.h"
#include "heed/train/objectives.h"

namespace heed {

ObjectiveList::ObjectiveList() { add(make_part(objectives(), "teacher_forcing")); }

void ObjectiveList::describe(Describer& d) {
  d.parts("objectives", all_, objectives(), {"the loss is their weighted sum"});
}

void ObjectiveList::attach(Model& model) {
  if (all_.empty()) {
    fail(Fault::usage,
         "training.objectives: saw an empty list, needs at least one; leave it out for "
         "teacher_forcing");
  }
  const std::vector<std::string> stops = gradient_stops(model);
  if (!stops.empty()) {
    fail(Fault::usage,
         "training.objectives: saw {} with model.{}, through which no gradient reaches the score, "
         "so "
         "it would never learn where to look; choose a soft normaliser (softmax, sparsemax, "
         "entmax15, …) or gumbel",
         names().front(), stops.front());
  }
  check_all_are_taught(model);
  for (const auto& objective : all_) {
    objective->attach(model);
  }
}

bool ObjectiveList::has(const std::string& decoder, const std::string& kind) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& objective) {
    return objective->decoder() == decoder && (kind.empty() || objective->kind() == kind);
  });
}

void ObjectiveList::check_all_are_taught(const Model& model) const {
  for (const std::string& name : model.decoder_names()) {
    if (!has(name, "")) {
      fail(Fault::usage,
           "training.objectives: saw none for the decoder {}, which would never learn, needs one; "
           "add one with decoder = \"{}\"",
           name, name);
    }
    const Decoder& decoder = model.decoder(name);
    if (dynamic_cast<const Parallel*>(&decoder) != nullptr && !has(name, "lengths")) {
      fail(Fault::usage,
           "training.objectives: saw no lengths for the decoder {}, which must say how long a "
           "target "
           "is, needs it; add it: [\"cross_entropy\", {{ kind = \"lengths\", weight = 0.1 }}]",
           decoder.kind());
    }
  }
}

std::map<std::string, Decoded> ObjectiveList::taught(const Lesson& lesson, Pass& pass) const {
  std::map<std::string, Report> reports;
  for (const auto& objective : all_) {
    Report& report = reports[objective->decoder()];
    report.weights = report.weights || objective->report().weights;
    report.entropy = report.entropy || objective->report().entropy;
  }
  const Encoded encoded = lesson.model.encode(lesson.batch.source, pass);
  std::map<std::string, Decoded> said;
  for (const std::string& name : lesson.model.decoder_names()) {
    if (const auto found = reports.find(name); found != reports.end()) {
      said[name] = Model::teach(lesson.model.decoder(name), encoded,
                                {lesson.batch, found->second, lesson.feed}, pass);
    }
  }
  return said;
}

ObjectiveList::Losses ObjectiveList::operator()(const Lesson& lesson, Pass& pass) const {
  const std::map<std::string, Decoded> said = taught(lesson, pass);
  const std::vector<double> weight = weights(lesson.progress);
  Losses losses;
  for (size_t k = 0; k < all_.size(); ++k) {
    const Tensor loss =
        (*all_[k])({lesson.batch, said.at(all_[k]->decoder()), lesson.label_smoothing});
    const Tensor weighted = weight[k] == 1 ? loss : loss * weight[k];
    losses.total = losses.total.defined() ? losses.total + weighted : weighted;
    if (all_.size() > 1) {
      losses.each.push_back(loss.detached());
    }
  }
  return losses;
}

void ObjectiveList::follow() const {
  for (const auto& objective : all_) {
    objective->follow();
  }
}

std::vector<std::string> ObjectiveList::names() const {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const auto& objective : all_) {
    const bool is_main = objective->decoder() == Model::main_decoder;
    const std::string name =
        is_main ? objective->kind() : objective->decoder() + "." + objective->kind();
    const int count = ++seen[name];
    names.push_back(count == 1 ? name : fmt::format("{}.{}", name, count));
  }
  return names;
}

std::vector<double> ObjectiveList::weights(const RunProgress& progress) const {
  std::vector<double> weights;
  for (const auto& objective : all_) {
    weights.push_back(objective->weight(progress));
  }
  return weights;
}

std::vector<NamedParameter> ObjectiveList::state() const {
  const std::vector<std::string> name = names();
  std::vector<NamedParameter> all;
  for (size_t k = 0; k < all_.size(); ++k) {
    for (const NamedParameter& one : all_[k]->state()) {
      all.push_back({name[k] + "." + one.name, one.tensor});
    }
  }
  return all;
}

std::vector<NamedNumber> ObjectiveList::numbers() const {
  const std::vector<std::string> name = names();
  std::vector<NamedNumber> all;
  for (size_t k = 0; k < all_.size(); ++k) {
    for (const NamedNumber& one : all_[k]->numbers()) {
      all.push_back({name[k] + "." + one.name, one.value});
    }
  }
  return all;
}

}  // namespace heed
