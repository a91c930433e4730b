#include "tests/support/fixture.h"

#include <limits>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"

namespace heed::test {
namespace {

/// A number, or one that JSON has no word for.
double number_of(const JsonReader& value) {
  if (value.kind() != Json::Kind::text) {
    return value.number();
  }
  const std::string& word = value.text();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  require(word == "nan" || word == "inf" || word == "-inf",
          "fixture: saw \"{}\", needs a number, nan, inf or -inf", word);
  return word == "nan"   ? std::numeric_limits<double>::quiet_NaN()
         : word == "inf" ? infinity
                         : -infinity;
}

std::vector<double> numbers_of(const JsonReader& value) {
  std::vector<double> all;
  for (const JsonReader& each : value.items()) {
    all.push_back(number_of(each));
  }
  return all;
}

Tensor tensor_of(const JsonReader& described, const Place& place) {
  Shape shape;
  for (const JsonReader& length : described.at("shape").items()) {
    shape.push(length.integer());
  }
  const auto dtype = described.find("dtype");
  const bool whole = dtype && dtype->text() == "i32";
  return Tensor::of(numbers_of(described.at("data")), shape,
                    whole ? place.with(DType::i32) : place);
}

}  // namespace

const Tensor& FixtureCase::tensor(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  require(found != tensors_.end(), "fixture: case {} has no tensor {}", name, tensor);
  return found->second;
}

JsonReader FixtureCase::setting(const std::string& setting) const {
  const auto found = settings_.find(setting);
  require(found != settings_.end(), "fixture: case {} has no setting {}", name, setting);
  return {found->second, setting};
}

double FixtureCase::number(const std::string& name) const { return number_of(setting(name)); }

int64_t FixtureCase::integer(const std::string& name) const { return setting(name).integer(); }

bool FixtureCase::flag(const std::string& name) const { return setting(name).boolean(); }

std::string FixtureCase::text(const std::string& name) const { return setting(name).text(); }

std::vector<double> FixtureCase::numbers(const std::string& name) const {
  return numbers_of(setting(name));
}

std::string FixtureCase::json(const std::string& name) const {
  return setting(name).value().write();
}

std::vector<FixtureCase> read_fixture(const std::string& name, const Place& place) {
  const std::string path = std::string(HEED_SOURCE_DIR) + "/tests/fixtures/" + name + ".json";
  const Json whole = parse_json(read_file(path), path);
  std::vector<FixtureCase> cases;
  for (const JsonReader& described : JsonReader(whole, path).at("cases").items()) {
    FixtureCase& made = cases.emplace_back();
    made.name = described.at("name").text();
    for (const auto& [key, value] : described.at("settings").members()) {
      made.settings_.emplace(key, value.value());
    }
    for (const auto& [key, value] : described.at("tensors").members()) {
      made.tensors_[key] = tensor_of(value, place);
    }
  }
  return cases;
}

}  // namespace heed::test
