// A file descriptor that closes itself, and the reads that retry after a signal.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace heed {

class Descriptor {
 public:
  Descriptor() = default;
  /// Owns `number` unless it is a standard stream.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// 0, or the errno of the close.
  int close();

 private:
  int number_ = -1;
};

/// Opens descriptors 0, 1 and 2 if they are closed, so that no file that is opened later gets the
/// number of a standard stream. Reading from or writing to such a stream still fails, except that
/// standard error discards what is written. Call it before anything is opened.
void reserve_standard_streams();

/// Opens a file for reading ("-" is standard input); Fault::file with the reason when it cannot. A
/// directory, a named pipe (on which it would wait for a writer) and a device are refused by name.
/// What is connected already is taken: a shell's <(…), a terminal, /dev/null.
Descriptor open_to_read(const std::string& path);

/// Like open_to_read, for what is read line by line: a named pipe is taken, and waited for.
Descriptor open_stream(const std::string& path);

/// Reads up to `room` bytes into `buffer` and returns how many; 0 only at the end of the file.
/// Fault::file when the read fails.
std::size_t read_some(const Descriptor& file, const std::string& path, void* buffer,
                      std::size_t room);

}  // namespace heed
