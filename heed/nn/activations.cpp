#include "heed/nn/activations.h"

#include "heed/base/catalogue.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

Tensor identity(const Tensor& x) { return x; }

constexpr NamedActivation all[] = {
    {"relu", "max(0, x)", relu, AfterProduct::relu},
    {"gelu", "x Φ(x)", gelu, AfterProduct::gelu},
    {"gelu_tanh", "½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))", gelu_tanh},
    {"silu", "x σ(x)", silu, AfterProduct::silu},
    {"tanh", "tanh x", tanh, AfterProduct::tanh},
    {"sigmoid", "σ(x)", sigmoid, AfterProduct::sigmoid},
    {"softplus", "ln(1 + eˣ)", softplus},
    {"identity", "x", identity},
};

}  // namespace

std::span<const NamedActivation> activations() { return all; }

const NamedActivation& activation_named(std::string_view name) {
  for (const NamedActivation& one : all) {
    if (one.name == name) {
      return one;
    }
  }
  fail_unknown_name("activation", name, activation_names(), {});
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const NamedActivation& one : all) {
    names.emplace_back(one.name);
  }
  return names;
}

}  // namespace heed
