#include "heed/train/objective_list.h"

#include <map>

#include "heed/attention/gradient_stops.h"
#include "heed/base/error.h"
#include "heed/ops/arithmetic.h"
#include "heed/train/objectives.h"

namespace heed {

ObjectiveList::ObjectiveList() { add(make_part(objectives(), "teacher_forcing")); }

void ObjectiveList::describe(Describer& d) {
  d.parts("objectives", all_, objectives(), {"what is made small: their weighted sum"});
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
  for (const auto& objective : all_) {
    objective->attach(model);
  }
}

ObjectiveList::Losses ObjectiveList::operator()(const Lesson& lesson, Pass& pass) const {
  Report report;
  for (const auto& objective : all_) {
    report.weights = report.weights || objective->report().weights;
    report.entropy = report.entropy || objective->report().entropy;
  }
  const Decoded decoded = lesson.model.teach(lesson.batch, report, pass, lesson.feed);
  const std::vector<double> weight = weights(lesson.progress);
  Losses losses;
  for (size_t k = 0; k < all_.size(); ++k) {
    const Tensor loss = (*all_[k])({lesson.batch, decoded, lesson.label_smoothing});
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
    const int count = ++seen[objective->kind()];
    names.push_back(count == 1 ? objective->kind()
                               : fmt::format("{}.{}", objective->kind(), count));
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
