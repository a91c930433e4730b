// Matrices of weights, written and read as rows.
#pragma once

#include <vector>

#include "heed/engine/answer/reply.h"

namespace heed::test {

inline WeightMatrix matrix_of(const std::vector<std::vector<float>>& rows) {
  WeightMatrix matrix;
  for (const std::vector<float>& row : rows) {
    matrix.add(row);
  }
  return matrix;
}

inline std::vector<std::vector<float>> rows_of(const WeightMatrix& matrix) {
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < matrix.rows(); ++i) {
    rows.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  }
  return rows;
}

}  // namespace heed::test
