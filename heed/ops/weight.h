// A weight is what a layer multiplies by: a matrix W [N, K], and the precision of its products.
//
// In training a weight is its master, a parameter. If a product needs another form of it, that form
// is made for this product, or once for all products of a scope (ops/products.h), so it is never
// older than the master. For serving a weight is brought once into the form that its backend
// multiplies, and the master is freed.
//
//   f32    like the master
//   bf16   both operands are rounded, sums stay f32; also for training
//   int8   a scale for each row of W and of x, sums of whole numbers; only without recording
#pragma once

#include <memory>
#include <mutex>

#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Copies share one weight.
class Weight {
 public:
  /// Whether rows of the matrix are also looked up; then the master stays when the weight serves.
  enum class Use : uint8_t { multiplied, looked_up_too };

  Weight() = default;
  /// A matrix of f32, f64, or bf16 and f16, which are widened; multiplied in f32 until
  /// `set_precision`. Of a master with more axes, all but the first are K.
  Weight(const Tensor& master, Use use = Use::multiplied);

  bool defined() const { return static_cast<bool>(body_); }
  /// [N, K]
  const Shape& shape() const { return body().shape; }
  int64_t size(int axis) const { return body().shape[axis]; }
  const Place& place() const { return body().place; }

  /// The master; an Error if it was freed.
  const Tensor& master() const;
  Tensor& master();
  bool has_master() const { return body().master.defined(); }
  /// The master as a matrix, without history.
  Tensor matrix() const;
  bool is(const Weight& other) const { return body_ == other.body_; }

  Precision precision() const { return body().precision; }
  /// Products run in this precision from now on.
  void set_precision(Precision precision);

  /// From now on the weight is only multiplied, in this precision, and nothing may write it.
  void serve(Precision precision);
  bool serves() const { return body().serves; }
  /// The form that products of a serving weight multiply: packed if the backend has packed
  /// products, otherwise [N, K] with values rounded to the precision.
  const Tensor& served_form() const;

  /// W in bf16, [N, K], for products of activations that are stored in bf16; both orientations read it.
  /// As long as a FixedWeights lives, it is made once.
  Tensor low_form() const;

 private:
  struct Body {
    Tensor master;
    Shape shape;
    Place place;
    Precision precision = Precision::f32;
    bool is_looked_up = false;
    bool serves = false;
    std::once_flag is_made;
    Tensor form;
    Tensor low;  // made while `low_since` was the scope
    uint64_t low_since = 0;
  };
  Body& body() const {
    if (!body_) {
      fail("weight: saw an undefined one");
    }
    return *body_;
  }
  void require_master() const;

  std::shared_ptr<Body> body_;
};

/// As long as one lives, from a step's first product to its update, this thread writes no weight.
class FixedWeights {
 public:
  FixedWeights();
  ~FixedWeights();
  FixedWeights(const FixedWeights&) = delete;
  FixedWeights& operator=(const FixedWeights&) = delete;

 private:
  uint64_t before_;
};

}  // namespace heed
