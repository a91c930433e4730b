// Everything that answers say, as text: equal texts are equal answers, bit for bit.
#pragma once

#include <string>
#include <vector>

#include "heed/api/request.h"
#include "heed/base/error.h"

namespace heed::test {

inline std::string written(const std::vector<Answer>& answers) {
  std::string all;
  for (const Answer& answer : answers) {
    for (const Output& output : answer.outputs) {
      all += fmt::format("{} {:a} {:a} {}", output.text, output.score, output.log_probability,
                         output.ended);
      for (const std::vector<float>& row : output.weights) {
        all += "\n ";
        for (const float weight : row) {
          all += fmt::format(" {:a}", weight);
        }
      }
      all += "\n";
    }
    for (const std::string& warning : answer.warnings) {
      all += warning + "\n";
    }
    all += "\n";
  }
  return all;
}

}  // namespace heed::test
