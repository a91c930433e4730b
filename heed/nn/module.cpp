#include "heed/nn/module.h"

#include <algorithm>
#include <unordered_set>

#include "heed/ops/cast.h"

namespace heed {
namespace {

/// The lists to fill; null if a list is not wanted.
struct Found {
  std::vector<NamedParameter>* parameters = nullptr;
  std::vector<NamedParameter>* others = nullptr;  // parameters that are no weights
  std::vector<Weight>* weights = nullptr;
};

class ParameterLister : public Describer {
 public:
  ParameterLister(std::string prefix, const Found& found)
      : prefix_(std::move(prefix)), found_(found) {}

  void parameter(const char* name, Tensor& value) override {
    if (value.defined() && found_.parameters != nullptr) {
      found_.parameters->push_back({prefix_ + name, &value});
    }
    if (value.defined() && found_.others != nullptr) {
      found_.others->push_back({prefix_ + name, &value});
    }
  }
  void weight(const char* name, Weight& value) override {
    if (value.defined() && found_.parameters != nullptr) {
      found_.parameters->push_back({prefix_ + name, &value.master()});
    }
    if (value.defined() && found_.weights != nullptr) {
      found_.weights->push_back(value);
    }
  }
  void child(const std::string& name, Described& child) override {
    ParameterLister below(prefix_ + name + ".", found_);
    child.describe(below);
  }
  void built(const std::string& name, Described& child) override { this->child(name, child); }
  void choice(const char* name, const Choice& choice) override {
    const std::vector<Described*> parts = choice.parts();
    for (size_t i = 0; i < parts.size(); ++i) {
      child(choice.is_list ? std::string(name) + "." + std::to_string(i) : name, *parts[i]);
    }
  }

 private:
  std::string prefix_;
  Found found_;
};

/// Each tensor once, under the first of its names.
std::vector<NamedParameter> distinct(const std::vector<NamedParameter>& all) {
  std::vector<NamedParameter> once;
  std::unordered_set<const Tensor::Body*> seen;
  for (const NamedParameter& parameter : all) {
    if (seen.insert(&*parameter.tensor->body()).second) {
      once.push_back(parameter);
    }
  }
  return once;
}

}  // namespace

std::vector<NamedParameter> parameters_of(Module& module) {
  std::vector<NamedParameter> found;
  ParameterLister lister("", {.parameters = &found});
  module.describe(lister);
  return found;
}

std::vector<Weight> distinct_weights_of(Module& module) {
  std::vector<Weight> all;
  ParameterLister lister("", {.weights = &all});
  module.describe(lister);
  std::vector<Weight> distinct;
  for (const Weight& weight : all) {
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const Weight& other) { return other.is(weight); })) {
      distinct.push_back(weight);
    }
  }
  return distinct;
}

std::vector<NamedParameter> distinct_parameters_of(Module& module) {
  return distinct(parameters_of(module));
}

std::vector<NamedParameter> trained_parameters_of(Module& module) {
  std::vector<NamedParameter> all = distinct_parameters_of(module);
  std::erase_if(all, [](const NamedParameter& one) { return !one.tensor->needs_gradient(); });
  return all;
}

// A weight that serves has no parameter any more, but it still counts.
int64_t count_parameters(Module& module) {
  std::vector<NamedParameter> others;
  ParameterLister lister("", {.others = &others});
  module.describe(lister);
  int64_t count = 0;
  for (const NamedParameter& parameter : distinct(others)) {
    count += parameter.tensor->numel();
  }
  for (const Weight& weight : distinct_weights_of(module)) {
    count += weight.shape().numel();
  }
  return count;
}

const Tensor& parameter_named(Module& module, const std::string& name) {
  std::vector<std::string> names;
  for (const NamedParameter& parameter : parameters_of(module)) {
    if (parameter.name == name) {
      return *parameter.tensor;
    }
    names.push_back(parameter.name);
  }
  fail("parameter: saw \"{}\", which is not among the {} there are{}", name, names.size(),
       did_you_mean(name, names));
}

void copy_values(const Tensor& from, const Tensor& to) {
  require(from.shape() == to.shape(), "copy values: saw shape {}, needs {}",
          to_string(from.shape()), to_string(to.shape()));
  to.backend().copy(to.view(), to_place(from.detached(), to.place()).view());
}

}  // namespace heed
