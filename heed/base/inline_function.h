// A callable that stores its captures inside itself where they need at most `room` bytes, so that
// making one allocates nothing. It can be moved, and called any number of times.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace heed {

template <class Signature, size_t room>
class InlineFunction;

template <class Result, class... Args, size_t room>
class InlineFunction<Result(Args...), room> {
 public:
  InlineFunction() = default;
  InlineFunction(std::nullptr_t) {}
  /// A target that does not fit is put on the heap.
  template <class Target>
  requires(!std::is_same_v<std::decay_t<Target>, InlineFunction> &&
           std::is_invocable_r_v<Result, std::decay_t<Target>&, Args...>)
      InlineFunction(Target&& target) {
    using Held = std::decay_t<Target>;
    if constexpr (sizeof(Held) <= room && alignof(Held) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Held>) {
      ::new (inside_) Held(std::forward<Target>(target));
      operations_ = &operations_of<Held>;
    } else {
      auto boxed = [box = std::make_unique<Held>(std::forward<Target>(target))](
                       Args... args) -> Result { return (*box)(std::forward<Args>(args)...); };
      ::new (inside_) decltype(boxed)(std::move(boxed));
      operations_ = &operations_of<decltype(boxed)>;
    }
  }
  InlineFunction(InlineFunction&& other) noexcept { take(other); }
  InlineFunction& operator=(InlineFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  InlineFunction(const InlineFunction&) = delete;
  InlineFunction& operator=(const InlineFunction&) = delete;
  ~InlineFunction() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }
  Result operator()(Args... args) {
    return operations_->call(inside_, std::forward<Args>(args)...);
  }

 private:
  struct Operations {
    Result (*call)(void* held, Args&&... args);
    void (*move)(void* to, void* from);  // also destroys the object at `from`
    void (*destroy)(void* held);
  };
  template <class Held>
  static constexpr Operations operations_of{
      [](void* held, Args&&... args) -> Result {
        return (*static_cast<Held*>(held))(std::forward<Args>(args)...);
      },
      [](void* to, void* from) {
        ::new (to) Held(std::move(*static_cast<Held*>(from)));
        std::destroy_at(static_cast<Held*>(from));
      },
      [](void* held) { std::destroy_at(static_cast<Held*>(held)); }};

  void take(InlineFunction& other) {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) {
      operations_->move(inside_, other.inside_);
    }
  }
  void reset() {
    if (const Operations* operations = std::exchange(operations_, nullptr)) {
      operations->destroy(inside_);
    }
  }

  const Operations* operations_ = nullptr;
  alignas(std::max_align_t) std::byte inside_[room];
};

}  // namespace heed
