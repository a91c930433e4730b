#include "heed/tensor/tensor.h"

#include <algorithm>

#include "heed/device/convert.h"
#include "heed/tensor/draw_key.h"
#include "heed/tensor/node.h"

namespace heed {

Tensor::Body::Body(Shared<Storage> memory, const View& seen)
    : storage(std::move(memory)), view(seen) {}

Tensor::Body::Body(Shared<Storage> memory, DType dtype, const Shape& shape)
    : storage(std::move(memory)), view(dense_view(storage->data(), dtype, shape)) {}

Tensor::Body::~Body() = default;

namespace {

/// Not inlined into `empty`, whose stack frame it would enlarge.
[[noreturn, gnu::noinline]] void refuse(DType dtype) {
  fail("tensor: saw no backend that holds {}", name_of(dtype));
}

}  // namespace

Tensor Tensor::empty(const Shape& shape, const Place& place) {
  if (place.backend == nullptr || !place.backend->supports(place.dtype)) {
    refuse(place.dtype);
  }
  const size_t bytes = static_cast<size_t>(shape.numel()) * bytes_of(place.dtype);
  Shared<Storage> storage(new Storage(*place.backend, bytes));
  return Tensor(Shared<Body>(new Body(std::move(storage), place.dtype, shape)));
}

Tensor Tensor::over(const View& view, Backend& backend, std::function<void()> release) {
  if (!backend.supports(view.dtype)) {
    refuse(view.dtype);
  }
  require(view.data != nullptr || view.numel() == 0, "tensor: saw no memory, needs {}", view.shape);
  require(reinterpret_cast<uintptr_t>(view.data) % bytes_of(view.dtype) == 0,
          "tensor: saw memory that is not aligned to its {}; copy it", name_of(view.dtype));
  Shared<Storage> storage(new Storage(backend, std::move(release)));
  return Tensor(Shared<Body>(new Body(std::move(storage), view)));
}

Tensor Tensor::full(const Shape& shape, double value, const Place& place) {
  Tensor out = empty(shape, place);
  place.backend->fill(out.view(), value);
  return out;
}

template <class T>
Tensor Tensor::of(std::span<const T> values, const Shape& shape, const Place& place) {
  require(static_cast<int64_t>(values.size()) == shape.numel(),
          "tensor: saw {} values, needs {} for shape {}", values.size(), shape.numel(), shape);
  Tensor out = empty(shape, place);
  if (place.dtype == dtype_of<T>) {
    place.backend->upload(out.view(), values.data());
    return out;
  }
  with_any_type(place.dtype, [&](auto kind) {
    std::vector<decltype(kind)> cast(values.size());
    std::transform(values.begin(), values.end(), cast.begin(), converted<decltype(kind), T>);
    place.backend->upload(out.view(), cast.data());
  });
  return out;
}

Tensor Tensor::random(const Shape& shape, Distribution distribution, const RandomKey& key,
                      const Place& place) {
  return random(shape, distribution, DrawKey(key), place);
}

Tensor Tensor::random(const Shape& shape, Distribution distribution, const DrawKey& key,
                      const Place& place) {
  Tensor out = empty(shape, place);
  place.backend->random(out.view(), distribution, key.for_kernel());
  return out;
}

template <class T>
std::vector<T> Tensor::values() const {
  const Tensor packed = dense();
  return with_any_type(dtype(), [&](auto kind) {
    std::vector<decltype(kind)> raw(static_cast<size_t>(numel()));
    backend().download(raw.data(), packed.view());
    std::vector<T> values(raw.size());
    std::transform(raw.begin(), raw.end(), values.begin(), converted<T, decltype(kind)>);
    return values;
  });
}

double Tensor::item() const {
  require(numel() == 1, "item: saw shape {}, needs one element", shape());
  return values<double>().front();
}

Tensor Tensor::detached() const { return checked().node ? seen_as(view()) : *this; }

Tensor Tensor::dense() const { return view().is_contiguous() ? detached() : clone(); }

Tensor Tensor::clone() const {
  Tensor out = empty(shape(), place());
  backend().copy(out.view(), view());
  return out;
}

Tensor Tensor::seen_as(const View& view) const {
  return Tensor(Shared<Body>(new Body(checked().storage, view)));
}

bool Tensor::owns_memory_alone() const {
  return body_.is_alone() && body_->storage.is_alone() && !body_->storage->is_foreign();
}

Tensor& Tensor::watch() {
  require(defined() && place().has_gradients(), "watch: saw a tensor that cannot have a gradient");
  body_->node = Shared<Node>(new Node);
  body_->node->is_leaf = true;
  body_->node->outputs.emplace_back(shape(), place());
  return *this;
}

Tensor Tensor::gradient() const {
  return needs_gradient() && body_->node->is_leaf ? body_->node->outputs[0].gradient : Tensor();
}

void Tensor::clear_gradient() { set_gradient({}); }

void Tensor::set_gradient(Tensor gradient) {
  require(needs_gradient() && body_->node->is_leaf, "gradient: saw a tensor that is no leaf");
  body_->node->outputs[0].gradient = std::move(gradient);
}

template Tensor Tensor::of(std::span<const float>, const Shape&, const Place&);
template Tensor Tensor::of(std::span<const double>, const Shape&, const Place&);
template Tensor Tensor::of(std::span<const int32_t>, const Shape&, const Place&);
template std::vector<float> Tensor::values() const;
template std::vector<double> Tensor::values() const;
template std::vector<int32_t> Tensor::values() const;

}  // namespace heed
