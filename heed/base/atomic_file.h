// A file that appears whole or not at all: write a temporary in the same directory, fsync it,
// rename it over the target, fsync the directory. On any failure the old file is intact, the
// temporary is gone, and the Error (Fault::disk) names the path; on a full disk also the bytes
// needed and free.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "heed/base/descriptor.h"

namespace heed {

class AtomicFile {
 public:
  /// `expected_bytes`, if known, is compared with the free space before anything is written.
  explicit AtomicFile(const std::string& path, std::uint64_t expected_bytes = 0);
  /// Removes the temporary unless committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* data, std::size_t bytes);
  /// The descriptor of the temporary, for others to write to.
  int descriptor() const { return file_.number(); }
  /// The path of the temporary.
  const std::string& temporary() const { return temporary_; }
  /// Syncs what was written and renames it over the target. If this fails, the target holds either
  /// the whole old file or the whole new one.
  void commit();

 private:
  void put(std::string_view bytes);
  [[noreturn]] void fail_writing(const char* doing, int reason, std::uint64_t needed);
  void discard();

  std::string path_;
  std::string temporary_;
  Descriptor file_;
  std::uint64_t expected_ = 0;
  std::uint64_t written_ = 0;
};

/// The points of a save that can be watched: half of the next piece (at most 1 MiB) is written; the
/// file or, after the rename, its directory is about to be synced; the file is about to be renamed.
enum class SavePoint { write, sync, rename };
using SaveWatcher = std::function<void(SavePoint)>;
/// Calls `watcher` at every point of every save of this process; an empty watcher, the default, is
/// never called. Tests end the process there. Must not be called while a file is being saved.
void watch_saves(SaveWatcher watcher);

void write_atomically(const std::string& path, std::string_view bytes);

}  // namespace heed
