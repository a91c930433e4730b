// An append-only array in memory or in a file. The file has no name, so that it disappears with the
// process. It is written by plain writes and read through a memory map, whose pages the system can
// take back when memory is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "heed/base/descriptor.h"

namespace heed {

/// How much may stay in memory, and where the rest goes.
struct SpillPlace {
  std::string folder = "";  // made if missing; empty: the system's folder for temporary files
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();
};

class SpilledBytes {
 public:
  SpilledBytes();
  ~SpilledBytes();
  SpilledBytes(SpilledBytes&&) noexcept;
  SpilledBytes& operator=(SpilledBytes&&) noexcept;

  void append(const void* bytes, std::size_t count);
  std::uint64_t size() const { return written_ + memory_.size(); }
  /// Moves the present bytes and all later ones into a file. Fault::disk where that fails.
  void move_to_disk(const std::string& folder);
  bool is_on_disk() const { return file_.is_open(); }
  /// Must be called once, after the last append and before the first read.
  void finish();
  const std::byte* data() const;
  /// Frees the memory of pages read from disk; the next read is slower, nothing else changes.
  void release() const;

 private:
  class Map;
  void write_out();

  std::vector<std::byte> memory_;  // everything, or what is not yet in the file
  std::string folder_;
  Descriptor file_;
  std::uint64_t written_ = 0;
  std::unique_ptr<Map> map_;
};

template <class T>
class Spilled {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void append(std::span<const T> items) { bytes_.append(items.data(), items.size_bytes()); }
  std::uint64_t size() const { return bytes_.size() / sizeof(T); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  SpilledBytes& bytes() { return bytes_; }
  const SpilledBytes& bytes() const { return bytes_; }

 private:
  SpilledBytes bytes_;
};

/// Many short arrays, stored one behind the other. One that is equal to the last can be added again
/// without its items.
template <class T>
class Sequences {
 public:
  explicit Sequences(SpillPlace place = {}) : place_(std::move(place)) {}

  void add(std::span<const T> sequence) {
    items_.append(sequence);
    add_end(items_.size());
    repeats_ = 0;
  }
  /// Adds the sequence that `add` added last.
  void add_again() { add_end(is_repeat | ++repeats_); }
  /// Must be called after the last `add` and before the first read.
  void finish() {
    items_.bytes().finish();
    ends_.bytes().finish();
  }

  std::int64_t size() const { return static_cast<std::int64_t>(ends_.size()); }
  /// The number of items stored.
  std::uint64_t items() const { return items_.size(); }
  std::size_t length(std::int64_t i) const { return end(i) - end(stored(i) - 1); }
  std::span<const T> at(std::int64_t i) const {
    return {items_.data() + end(stored(i) - 1), length(i)};
  }
  bool is_on_disk() const { return items_.bytes().is_on_disk(); }
  void release() const {
    items_.bytes().release();
    ends_.bytes().release();
  }

 private:
  /// In place of an end: this sequence is the one so many places before it.
  static constexpr std::uint64_t is_repeat = std::uint64_t{1} << 63;

  void add_end(std::uint64_t end) {
    ends_.append({&end, 1});
    if (!items_.bytes().is_on_disk() &&
        items_.bytes().size() + ends_.bytes().size() > place_.memory_bytes) {
      items_.bytes().move_to_disk(place_.folder);
      ends_.bytes().move_to_disk(place_.folder);
    }
  }
  /// The sequence whose items are those of sequence i.
  std::int64_t stored(std::int64_t i) const {
    const std::uint64_t entry = i < 0 ? 0 : ends_.data()[i];
    return (entry & is_repeat) == 0 ? i : i - static_cast<std::int64_t>(entry & ~is_repeat);
  }
  std::size_t end(std::int64_t i) const { return i < 0 ? 0 : ends_.data()[stored(i)]; }

  SpillPlace place_;
  Spilled<T> items_;
  Spilled<std::uint64_t> ends_;
  std::uint64_t repeats_ = 0;  // since the last `add`
};

}  // namespace heed
