// What other libraries computed: tests/fixtures/NAME.json as tensors on a place.
//
//   {"versions": {…}, "cases": [{"name", "settings": {…},
//     "tensors": {"x": {"shape": […], "data": […], "dtype": "i32" where it is}}}]}
//
//   for (const FixtureCase& c : read_fixture("layer_norm", place)) {
//     EXPECT_TRUE(close(layer_norm(c.tensor("x"), …, c.number("eps")), c.tensor("y"), 16));
//   }
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/base/json_reader.h"
#include "heed/tensor/tensor.h"

namespace heed::test {

class FixtureCase {
 public:
  std::string name;

  bool has(const std::string& tensor) const { return tensors_.count(tensor) > 0; }
  const Tensor& tensor(const std::string& name) const;
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

  bool has_setting(const std::string& setting) const { return settings_.count(setting) > 0; }
  double number(const std::string& setting) const;
  int64_t integer(const std::string& setting) const;
  bool flag(const std::string& setting) const;
  std::string text(const std::string& setting) const;
  std::vector<double> numbers(const std::string& setting) const;
  /// As JSON text.
  std::string json(const std::string& setting) const;

 private:
  friend std::vector<FixtureCase> read_fixture(const std::string& name, const Place& place);
  JsonReader setting(const std::string& name) const;

  std::map<std::string, Tensor> tensors_;
  std::map<std::string, Json> settings_;
};

std::vector<FixtureCase> read_fixture(const std::string& name, const Place& place);

}  // namespace heed::test
