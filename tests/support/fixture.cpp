#include "tests/support/fixture.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace heed::test {
namespace {

using nlohmann::json;

/// A number, or one that JSON has no word for.
double number_of(const json& value) {
  if (!value.is_string()) {
    return value.get<double>();
  }
  const auto word = value.get<std::string>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  require(word == "nan" || word == "inf" || word == "-inf",
          "fixture: saw \"{}\", needs a number, nan, inf or -inf", word);
  return word == "nan"   ? std::numeric_limits<double>::quiet_NaN()
         : word == "inf" ? infinity
                         : -infinity;
}

Tensor tensor_of(const json& described, const Place& place) {
  Shape shape;
  for (const json& length : described.at("shape")) {
    shape.push(length.get<int64_t>());
  }
  std::vector<double> data;
  for (const json& value : described.at("data")) {
    data.push_back(number_of(value));
  }
  const bool whole = described.value("dtype", "") == "i32";
  return Tensor::of(data, shape, whole ? place.with(DType::i32) : place);
}

}  // namespace

const Tensor& FixtureCase::tensor(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  require(found != tensors_.end(), "fixture: case {} has no tensor {}", name, tensor);
  return found->second;
}

const std::string& FixtureCase::setting(const std::string& setting) const {
  const auto found = settings_.find(setting);
  require(found != settings_.end(), "fixture: case {} has no setting {}", name, setting);
  return found->second;
}

double FixtureCase::number(const std::string& name) const {
  return number_of(json::parse(setting(name)));
}

int64_t FixtureCase::integer(const std::string& name) const {
  return json::parse(setting(name)).get<int64_t>();
}

bool FixtureCase::flag(const std::string& name) const {
  return json::parse(setting(name)).get<bool>();
}

std::string FixtureCase::text(const std::string& name) const {
  return json::parse(setting(name)).get<std::string>();
}

std::vector<double> FixtureCase::numbers(const std::string& name) const {
  return json::parse(setting(name)).get<std::vector<double>>();
}

std::vector<FixtureCase> read_fixture(const std::string& name, const Place& place) {
  const std::string path = std::string(HEED_SOURCE_DIR) + "/tests/fixtures/" + name + ".json";
  std::ifstream file(path);
  require(file.good(), "fixture: cannot read {}", path);
  const json whole = json::parse(file);
  std::vector<FixtureCase> cases;
  for (const json& described : whole.at("cases")) {
    FixtureCase& made = cases.emplace_back();
    made.name = described.at("name").get<std::string>();
    for (const auto& [key, value] : described.at("settings").items()) {
      made.settings_[key] = value.dump();
    }
    for (const auto& [key, value] : described.at("tensors").items()) {
      made.tensors_[key] = tensor_of(value, place);
    }
  }
  return cases;
}

}  // namespace heed::test
