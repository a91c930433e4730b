// A module is a Described (heed/config/described.h) that also owns parameters.
//
// The life of a module: a factory returns it unbuilt with its defaults; settings are assigned
// through `describe`; then its `build(widths…, init)` makes children and parameters. Before that,
// `describe` names only settings and parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/config/described.h"
#include "heed/ops/weight.h"

namespace heed {

class Module : public Described {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
};

struct NamedParameter {
  std::string name;  // "decoder.attention.score.key.weight"
  Tensor* tensor;
};

/// Every parameter in order of description. A tied parameter is described twice and listed twice,
/// under both names.
std::vector<NamedParameter> parameters_of(Module& module);
/// The same with each tensor once, under the first of its names.
std::vector<NamedParameter> distinct_parameters_of(Module& module);
/// Those that training may change: a frozen one is a parameter that nothing watches
/// (Tensor::watch), so it gets no gradient and no optimiser's state.
std::vector<NamedParameter> trained_parameters_of(Module& module);
/// The parameters that modules multiply by.
std::vector<Weight> distinct_weights_of(Module& module);
int64_t count_parameters(Module& module);
/// The parameter of this full name; an unknown name is an Error that suggests another.
const Tensor& parameter_named(Module& module, const std::string& name);
/// Writes the values of `from` (any element type, any backend) into the memory of `to`, because a
/// built parameter is never replaced.
void copy_values(const Tensor& from, const Tensor& to);

}  // namespace heed
