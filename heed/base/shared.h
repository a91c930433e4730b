// Handles to objects with several holders. The count of holders is stored in the object, so a
// handle is one pointer and an object one allocation. The last holder deletes the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace heed {

/// The base class of objects that a Shared can hold.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 protected:
  ~Counted() = default;

 private:
  template <class T>
  friend class Shared;
  std::atomic<uint32_t> holders_{1};  // the maker holds it
};

template <class T>
class Shared {
 public:
  Shared() = default;
  /// `object` was just made with new; no other Shared knows it.
  explicit Shared(T* object) noexcept : object_(object) {}
  Shared(const Shared& other) noexcept : object_(other.object_) { hold(); }
  Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~Shared() { let_go(); }
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Shared&) const = default;
  /// Whether this is the only holder. `true` stays true; `false` may be out of date at once.
  bool is_alone() const {
    return object_ != nullptr && object_->holders_.load(std::memory_order_acquire) == 1;
  }

 private:
  void hold() const {
    if (object_ != nullptr) {
      object_->holders_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void let_go() const {
    // The only holder need not count down: nobody else can take hold of the object.
    if (object_ != nullptr &&
        (is_alone() || object_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
      delete object_;
    }
  }

  T* object_ = nullptr;
};

}  // namespace heed
