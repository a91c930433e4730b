// A vector that stores up to N elements inside itself, so that short ones allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace heed {

template <class T, uint32_t N>
class InlineVector {
 public:
  InlineVector() = default;
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;
  ~InlineVector() { clear(); }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

  void reserve(size_t wanted) {
    if (wanted > capacity_) {
      grow(wanted);
    }
  }

  T& push_back(T value) { return emplace_back(std::move(value)); }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      reserve(size_t{2} * capacity_);
    }
    return *std::construct_at(data_ + size_++, std::forward<Args>(args)...);
  }

  void clear() {
    std::destroy_n(data_, size_);
    give_back();
    size_ = 0;
    data_ = inside();
    capacity_ = N;
  }

 private:
  /// Not inlined: it runs seldom, and its callers stay small.
  [[gnu::noinline]] void grow(size_t wanted) {
    std::allocator<T> heap;
    T* larger = heap.allocate(wanted);
    std::uninitialized_move_n(data_, size_, larger);
    std::destroy_n(data_, size_);
    give_back();
    data_ = larger;
    capacity_ = static_cast<uint32_t>(wanted);
  }

  T* inside() { return reinterpret_cast<T*>(inside_); }
  void give_back() {
    if (data_ != inside()) {
      std::allocator<T>().deallocate(data_, capacity_);
    }
  }

  T* data_ = inside();
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) std::byte inside_[N * sizeof(T)];
};

}  // namespace heed
