// --output FILE: what the program prints goes into a file that appears whole when the program is done,
// or not at all: a signal that ends the program takes the unfinished file with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/atomic_file.h"
#include "heed/base/descriptor.h"

namespace heed {

class OutputFile {
 public:
  /// Redirects standard output; an empty path leaves it as it is.
  explicit OutputFile(const std::string& path);
  /// Gives standard output back; the file is discarded unless committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void commit();

 private:
  void give_back();
  void guard();
  static void unguard();

  std::unique_ptr<AtomicFile> file_;
  Descriptor before_;
};

// A command does not write over what it reads.

/// Fault::usage if `output` is one of these files, under whatever name. Empty names and - are no files.
void check_is_no_input(const std::string& verb, const std::string& output,
                       const std::vector<std::string>& inputs);

// Answers that another program reads line by line from a pipe.

/// Writes the text to standard output at once. If that is a pipe, a signal that ends the program takes effect when the
/// text is written, so that the reader gets no half of a line; but it does not wait for a reader that takes nothing for
/// a second.
void print_whole(std::string_view text);

}  // namespace heed
