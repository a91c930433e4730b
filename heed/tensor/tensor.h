// A Tensor is a handle to memory on a backend. It remembers how it was computed, so that gradients
// can flow back. Copying a Tensor copies the handle. Views of a tensor (slices, permutations) share
// its storage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/recycled.h"
#include "heed/base/shared.h"
#include "heed/device/backend.h"
#include "heed/device/shape_format.h"
#include "heed/device/view.h"

namespace heed {

struct Node;
struct DrawKey;

/// Where a tensor lives: its backend and element type.
struct Place {
  Backend* backend = nullptr;
  DType dtype = DType::f32;

  Place with(DType other) const { return {backend, other}; }
  /// Where exact numbers beside tensors here are: masters, statistics, losses. f32 for bf16.
  Place exact() const { return is_half(dtype) ? with(DType::f32) : *this; }
  /// Whether tensors here may have gradients: real ones, and bf16 where the backend computes in it.
  bool has_gradients() const {
    return is_real(dtype) || (dtype == DType::bf16 && backend->computes(dtype));
  }
  bool operator==(const Place&) const = default;
};

/// A block of a backend's memory; it returns to the allocator with the last tensor that uses it. Or
/// memory that somebody else made; then its `release` is called instead.
class Storage : public Counted, public Recycled<Storage> {
 public:
  Storage(Backend& backend, size_t bytes)
      : backend_(backend), block_(backend.allocator().allocate(bytes)) {}
  Storage(Backend& backend, std::function<void()> release)
      : backend_(backend),
        release_(std::make_unique<const std::function<void()>>(std::move(release))) {}
  ~Storage() {
    if (block_ != nullptr) {
      backend_.allocator().free(block_);
    } else if (*release_) {
      (*release_)();
    }
  }

  Backend& backend() const { return backend_; }
  void* data() const { return block_->data; }  // not of foreign memory, which views know
  bool is_foreign() const { return block_ == nullptr; }

 private:
  Backend& backend_;
  MemoryBlock* block_ = nullptr;
  std::unique_ptr<const std::function<void()>> release_;
};

class Tensor {
 public:
  Tensor() = default;

  static Tensor empty(const Shape& shape, const Place& place);
  static Tensor full(const Shape& shape, double value, const Place& place);
  static Tensor zeros(const Shape& shape, const Place& place) { return full(shape, 0, place); }
  /// Row-major values of any type, cast to the place's.
  template <class T>
  static Tensor of(std::span<const T> values, const Shape& shape, const Place& place);
  template <class T>
  static Tensor of(const std::vector<T>& values, const Shape& shape, const Place& place) {
    return of(std::span<const T>(values), shape, place);
  }
  /// A tensor over memory of the backend's that somebody else made, such as a mapped file or another
  /// library's array, with any strides. `release` is called, and must not throw, when the last tensor
  /// that sees it is gone; not if this throws. Operators do not reuse such memory for their results.
  static Tensor over(const View& view, Backend& backend, std::function<void()> release);
  static Tensor random(const Shape& shape, Distribution distribution, const RandomKey& key,
                       const Place& place);
  static Tensor random(const Shape& shape, Distribution distribution, const DrawKey& key,
                       const Place& place);

  bool defined() const { return static_cast<bool>(body_); }
  explicit operator bool() const { return defined(); }
  inline const View& view() const;
  const Shape& shape() const { return view().shape; }
  int64_t size(int axis) const { return shape()[checked_axis(axis, rank(), "size")]; }
  int rank() const { return shape().rank(); }
  int64_t numel() const { return shape().numel(); }
  DType dtype() const { return view().dtype; }
  inline Backend& backend() const;
  Place place() const { return {&backend(), dtype()}; }

  /// All elements, row-major, cast to T.
  template <class T = double>
  std::vector<T> values() const;
  /// The only element of a tensor that has one.
  double item() const;

  /// The same values without their history.
  Tensor detached() const;
  /// This tensor if its elements are row-major without gaps, else a copy in which they are. Carries
  /// no history.
  Tensor dense() const;
  /// A dense copy in memory of its own, without history.
  Tensor clone() const;
  /// The same storage seen through another view (for ops and Gradients; carries no history).
  Tensor seen_as(const View& view) const;
  /// Whether nobody else, tensor or foreigner, shares this memory, so that it may be written in place.
  bool owns_memory_alone() const;

  /// Makes this a leaf that accumulates a gradient (a parameter).
  Tensor& watch();
  inline bool needs_gradient() const;
  /// What `backward` accumulated in this leaf; undefined before that. Dense, and not shared.
  Tensor gradient() const;
  void clear_gradient();
  void set_gradient(Tensor gradient);

  /// Adds d(this)/d(leaf) to every leaf's gradient. This tensor has one element, or `seed` has its
  /// shape. The history is freed on the way, so a second call needs a second forward pass.
  void backward(const Tensor& seed = {}) const;

  struct Body;
  const Shared<Body>& body() const { return body_; }

 private:
  explicit Tensor(Shared<Body> body) : body_(std::move(body)) {}
  const Body& checked() const;
  Shared<Body> body_;
};

struct Tensor::Body : Counted, Recycled<Tensor::Body> {
  Shared<Storage> storage;
  View view;
  Shared<Node> node;    // what computed it; a leaf's node has no inputs
  uint32_t output = 0;  // which of the node's outputs it is

  Body(Shared<Storage> memory, const View& seen);
  /// A tensor over the whole memory, row-major.
  Body(Shared<Storage> memory, DType dtype, const Shape& shape);
  ~Body();
};

/// A tensor among the arguments of a call, held by reference, so that a list of them is cheap.
class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor) {}
  operator const Tensor&() const { return *tensor_; }
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }

 private:
  const Tensor* tensor_;
};

inline const Tensor::Body& Tensor::checked() const {
  if (!defined()) {
    fail("tensor: saw an undefined tensor");
  }
  return *body_;
}
inline const View& Tensor::view() const { return checked().view; }
inline Backend& Tensor::backend() const { return checked().storage->backend(); }
inline bool Tensor::needs_gradient() const { return defined() && static_cast<bool>(body_->node); }

extern template Tensor Tensor::of(std::span<const float>, const Shape&, const Place&);
extern template Tensor Tensor::of(std::span<const double>, const Shape&, const Place&);
extern template Tensor Tensor::of(std::span<const int32_t>, const Shape&, const Place&);
extern template std::vector<float> Tensor::values() const;
extern template std::vector<double> Tensor::values() const;
extern template std::vector<int32_t> Tensor::values() const;

}  // namespace heed
