// The file that TensorBoard reads, RUN/events.out.tfevents.SECONDS.HOST.PROCESS: a sequence of
// records
//
//   u64 length, u32 masked(length's bytes), the message, u32 masked(the message)
//   masked(bytes) = rotate_right(crc32c(bytes), 15) + 0xa282ead8
//
// whose messages are the protocol buffers of tensorflow/core/util/event.proto, written by hand:
//
//   Event   { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5;
//             SessionLog session_log = 7; }
//   Summary { repeated Value value = 1; }   SessionLog { SessionStatus status = 1; }  START = 1
//   Value   { string tag = 1; float simple_value = 2; Image image = 4; }
//   Image   { int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded = 4; }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/train/growing_file.h"

namespace heed {

/// Castagnoli's CRC (RFC 3720, B.4).
uint32_t crc32c(std::string_view bytes);
/// One record of a file of records.
std::string framed(std::string_view message);

using TaggedNumbers = std::vector<std::pair<std::string, double>>;

class EventFile {
 public:
  /// In `folder`, after `step`: what an earlier process wrote of later steps no longer counts. The
  /// file is made with the first event. `clock` returns the seconds since 1970; the default is the
  /// system's.
  EventFile(std::string folder, int64_t step, std::function<double()> clock = {});

  /// Values that are not finite are left out. What cannot be written waits (`trouble`).
  void add(int64_t step, const TaggedNumbers& scalars);
  void add_png(int64_t step, const std::string& tag, const std::string& png);
  /// See GrowingFile.
  void add_rest();
  std::string trouble() const { return file_ ? file_->trouble() : std::string(); }

 private:
  void write(int64_t step, const std::string& summary);

  std::string folder_;
  int64_t first_step_;
  std::function<double()> clock_;
  std::optional<GrowingFile> file_;
};

}  // namespace heed
