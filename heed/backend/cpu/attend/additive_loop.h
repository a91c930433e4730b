// e_ij = vᵀ f(q_i + k_j) pair by pair, as it is written.
#pragma once

#include <numbers>

#include "heed/backend/cpu/attend/heads.h"

namespace heed::cpu {

class AdditiveLoop {
 public:
  AdditiveLoop(const AttendScore& score, const HeadOf& at)
      : width_(score.keys.shape[3]),
        query_(head_rows(score.query, at)),
        keys_(group_rows(score.keys, at)) {
    const auto& pairs = std::get<AdditivePairs>(score.kind);
    activation_ = pairs.activation;
    v_ = pairs.v.as<float>() + at.group * pairs.v.strides[0] + at.head * pairs.v.strides[1];
    v_step_ = pairs.v.strides[2];
  }

  static double scale() { return 1; }
  void prepare(const Block& /*all*/) {}
  void scores(const Block& b, TileRows e) const {
    for (int64_t r = 0; r < b.rows; ++r) {
      for (int64_t s = 0; s < b.slots; ++s) {
        float sum = 0;
        for (int64_t a = 0; a < width_; ++a) {
          sum += v_[a * v_step_] * at(query_[b.row + r][a] + keys_[b.slot + s][a]).value;
        }
        e[r][s] = sum;
      }
    }
  }
  void slopes(const Block& b, TileRows de, const HeadSlopes& to) const {
    for (int64_t r = 0; r < b.rows; ++r) {
      for (int64_t s = 0; s < b.slots; ++s) {
        for (int64_t a = 0; a < width_; ++a) {
          const Point f = at(query_[b.row + r][a] + keys_[b.slot + s][a]);
          const float d = de[r][s] * v_[a * v_step_] * f.slope;
          if (to.dquery) {
            to.dquery[b.row + r][a] += d;
          }
          if (to.dkeys) {
            to.dkeys[b.slot + s][a] += d;
          }
          if (to.dv != nullptr) {
            to.dv[a] += de[r][s] * f.value;
          }
        }
      }
    }
  }

 private:
  struct Point {
    float value;
    float slope;
  };
  Point at(float x) const {
    switch (activation_) {
      case Activation::relu:
        return {x > 0 ? x : 0, x > 0 ? 1.0F : 0.0F};
      case Activation::sigmoid: {
        const float y = 1 / (1 + std::exp(-x));
        return {y, y * (1 - y)};
      }
      case Activation::gelu: {
        const float below = 0.5F * std::erfc(-x / std::numbers::sqrt2_v<float>);
        const float density = std::exp(-0.5F * x * x) * 0.398942280F;
        return {x * below, below + x * density};
      }
      default: {
        const float y = std::tanh(x);
        return {y, 1 - y * y};
      }
    }
  }

  int64_t width_;
  TileRows query_;
  TileRows keys_;
  Activation activation_;
  const float* v_;
  int64_t v_step_;
};

}  // namespace heed::cpu
