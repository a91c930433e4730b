#include "heed/train/optimiser.h"

#include <array>
#include <utility>

namespace heed {

void Optimiser::describe(Describer& d) {
  d.setting("learning_rate", learning_rate_,
            {.help = "at its highest; the schedule scales it", .least = 0});
}

void Optimiser::attach(std::vector<NamedParameter> parameters) {
  slots_.clear();
  updates_ = 0;
  for (NamedParameter& parameter : parameters) {
    Slot slot{std::move(parameter), {}, {}};
    for (StateKind& kind : kinds(slot.parameter.tensor->shape())) {
      slot.kinds.push_back(std::move(kind.name));
      slot.state.push_back(Tensor::zeros(kind.shape, slot.parameter.tensor->place()));
    }
    slots_.push_back(std::move(slot));
  }
}

void Optimiser::step(double rate) {
  ++updates_;
  for (const Slot& slot : slots_) {
    const Tensor gradient = slot.parameter.tensor->gradient();
    if (gradient.defined()) {
      update(slot.parameter.tensor->detached(), gradient.dense(), slot.state, rate);
      slot.parameter.tensor->touch();
    }
  }
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
    operands[count++] = dense_view(one.view().data, one.dtype(), flat);
  }
  out.backend().map(f, dense_view(out.view().data, out.dtype(), flat), {operands.data(), count},
                    scalars);
}

}  // namespace heed
