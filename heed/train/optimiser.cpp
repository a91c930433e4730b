#include "heed/train/optimiser.h"

#include <array>
#include <utility>

#include "heed/config/limits.h"

namespace heed {

void Optimiser::describe(Describer& d) {
  d.setting("learning_rate", learning_rate_,
            {.help = "largest value; the schedule scales it", .least = 0, .most = most_factor});
}

void Optimiser::attach(std::vector<NamedParameter> parameters) {
  slots_.clear();
  updates_ = 0;
  if (!parameters.empty()) {
    const auto count = static_cast<int64_t>(1 + numbers(0).size());
    numbers_.attach(count, parameters.front().tensor->place());
  }
  for (NamedParameter& parameter : parameters) {
    Slot slot{std::move(parameter), {}, {}};
    for (StateKind& kind : kinds(slot.parameter.tensor->shape())) {
      slot.kinds.push_back(std::move(kind.name));
      slot.state.push_back(Tensor::zeros(kind.shape, slot.parameter.tensor->place()));
    }
    slots_.push_back(std::move(slot));
  }
}

void Optimiser::step(double rate, double scale) {
  ++updates_;
  std::vector<UpdatedTensor> updated;
  for (const Slot& slot : slots_) {
    const Tensor gradient = slot.parameter.tensor->gradient();
    if (gradient.defined()) {
      updated.push_back({slot.parameter.tensor->detached(), gradient.dense(), slot.state});
    }
  }
  if (updated.empty()) {
    return;
  }
  std::vector<double> all = numbers(rate);
  all.insert(all.begin(), scale);
  numbers_.write(all);
  update(updated, numbers_);
}

std::vector<NamedParameter> Optimiser::state() {
  std::vector<NamedParameter> all;
  for (Slot& slot : slots_) {
    for (size_t kind = 0; kind < slot.kinds.size(); ++kind) {
      all.push_back({slot.kinds[kind] + "." + slot.parameter.name, &slot.state[kind]});
    }
  }
  return all;
}

void update_by(Function f, const Tensor& out, std::initializer_list<Operand> in,
               MapScalars scalars) {
  const Shape flat{out.numel()};
  std::array<View, 3> operands;
  size_t count = 0;
  for (const Tensor& one : in) {
    const View own = dense_view(one.view().data, one.dtype(), {one.numel()});
    operands[count++] = one.numel() == 1 ? broadcast_to(own, flat) : own;
  }
  out.backend().map(f, dense_view(out.view().data, out.dtype(), flat), {operands.data(), count},
                    scalars);
}

Tensor scaled_gradient(const UpdatedTensor& one, const StepNumbers& numbers) {
  Tensor scaled = Tensor::empty(one.g.shape(), one.g.place());
  update_by(function<fn::Multiply>, scaled, {one.g, numbers.at(0)});
  return scaled;
}

}  // namespace heed
