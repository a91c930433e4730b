// The bytes of a file's tensors. Those of a file on disk stay there and are read piece by piece, so
// that loading a model needs no second copy of its tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heed/base/descriptor.h"

namespace heed {

/// Bytes that can be read from any position.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  virtual std::uint64_t size() const = 0;
  /// Reads `count` bytes that begin at `from`; all of them must exist.
  virtual void read(std::uint64_t from, char* to, std::size_t count) const = 0;

  std::string text(std::uint64_t from, std::size_t count) const;
};

std::shared_ptr<const ByteSource> bytes_in_memory(std::string bytes);
/// A regular file, which stays open. A file that changes while it is read is a Fault::file.
std::shared_ptr<const ByteSource> bytes_of_file(Descriptor file, const std::string& path);
bool is_regular_file(const Descriptor& file);

/// The bytes of one tensor: its own, or a part of its file's.
class FileBytes {
 public:
  FileBytes() : FileBytes(std::string()) {}
  FileBytes(std::string own);
  FileBytes(const char* text) : FileBytes(std::string(text)) {}
  FileBytes(std::shared_ptr<const ByteSource> whole, std::uint64_t begin, std::size_t size);

  std::size_t size() const { return size_; }
  void read(std::uint64_t from, char* to, std::size_t count) const {
    whole_->read(begin_ + from, to, count);
  }
  /// A part, which must be within.
  FileBytes part(std::uint64_t first, std::size_t count) const {
    return {whole_, begin_ + first, count};
  }
  std::string text() const { return whole_->text(begin_, size_); }
  bool operator==(const FileBytes& other) const {
    return size_ == other.size_ && text() == other.text();
  }

 private:
  std::shared_ptr<const ByteSource> whole_;
  std::uint64_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heed
