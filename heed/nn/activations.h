// The activation functions by name. To add one: its line in activations.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct NamedActivation {
  const char* name;
  const char* formula;
  Tensor (*of)(const Tensor& x);
  AfterProduct after = AfterProduct::nothing;  // the same in the kernel of a product, if it has it
};

std::span<const NamedActivation> activations();
/// The activation of this name; an unknown name is an Error that suggests another.
const NamedActivation& activation_named(std::string_view name);
/// For About::choices.
std::vector<std::string> activation_names();

}  // namespace heed
