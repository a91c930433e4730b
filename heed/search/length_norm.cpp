#include "heed/search/length_norm.h"

#include <cmath>

#include "heed/base/error.h"
#include "heed/search/search_options.h"

namespace heed {
namespace {

struct NamedNorm {
  const char* name;
  double (*of)(double length, double alpha);
};

constexpr NamedNorm norms_by_name[] = {
    {"none", [](double, double) { return 1.0; }},
    {"wu", [](double length, double alpha) { return std::pow((5 + length) / 6, alpha); }},
    {"length", [](double length, double alpha) { return std::pow(length, alpha); }},
};

}  // namespace

LengthNorm::LengthNorm(const std::string& name, double alpha) : of_(nullptr), alpha_(alpha) {
  for (const NamedNorm& norm : norms_by_name) {
    if (name == norm.name) {
      of_ = norm.of;
    }
  }
  if (of_ == nullptr) {
    fail(Fault::usage, "search: there is no length norm \"{}\"; choose none, wu or length", name);
  }
}

std::vector<std::string> length_norms() {
  std::vector<std::string> names;
  for (const NamedNorm& norm : norms_by_name) {
    names.emplace_back(norm.name);
  }
  return names;
}

}  // namespace heed
