#include "heed/train/average.h"

#include <utility>

namespace heed {
namespace {

void put(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& values) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& to = *parameters[i].tensor;
    to.backend().copy(to.view(), values[i].view());
  }
}

}  // namespace

void Average::attach(std::vector<NamedParameter> parameters) {
  parameters_ = std::move(parameters);
  state_.assign(parameters_.size(), {});
  taken_ = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t kind = 0; kind < kinds().size(); ++kind) {
      const Tensor& p = *parameters_[i].tensor;
      state_[i].push_back(Tensor::zeros(p.shape(), p.place()));
    }
  }
}

void Average::follow(int64_t step) {
  if (!is_due(step)) {
    return;
  }
  ++taken_;
  std::vector<FollowedTensor> followed;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    followed.push_back({parameters_[i].tensor->detached(), state_[i]});
  }
  take(followed);
}

std::vector<NamedParameter> Average::state() {
  const std::vector<std::string> names = kinds();
  std::vector<NamedParameter> all;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (size_t kind = 0; kind < names.size(); ++kind) {
      all.push_back({names[kind] + "." + parameters_[i].name, &state_[i][kind]});
    }
  }
  return all;
}

std::vector<Tensor> Average::means() const {
  std::vector<Tensor> all;
  for (const auto& state : state_) {
    all.push_back(mean(state));
  }
  return all;
}

MeanInPlace::MeanInPlace(const Average& average) : average_(average) {
  if (!average_.differs()) {
    return;
  }
  for (const NamedParameter& parameter : average_.parameters()) {
    kept_.push_back(parameter.tensor->clone());
  }
  put(average_.parameters(), average_.means());
}

MeanInPlace::~MeanInPlace() {
  if (!kept_.empty()) {
    put(average_.parameters(), kept_);
  }
}

}  // namespace heed
