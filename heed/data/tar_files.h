// Files inside tar archives: ustar (POSIX.1-1988), with the long names and large sizes of pax
// (POSIX.1-2001) and of GNU tar.
//
// An archive is read through once, header by header, when its first file is asked for; from then on
// a file is one read at a known place. Every header's checksum is checked, and every size against
// the end of the archive. Links, folders and devices are passed over.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "heed/base/descriptor.h"

namespace heed {

/// One archive and where its files lie.
class TarFile {
 public:
  /// Fault::file where it is no tar archive, or damaged.
  explicit TarFile(const std::string& path);

  /// The bytes of the file with this name; of several, the last, as tar itself unpacks them. Safe
  /// to call from several threads.
  std::string read(const std::string& name, std::uint64_t most_bytes) const;
  std::size_t size() const { return places_.size(); }

 private:
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  /// What the headers before a file's own say about it.
  struct Said {
    std::string name;
    std::uint64_t bytes = 0;
    bool has_bytes = false;
  };
  void index();
  std::string bytes_at(const Place& place) const;
  std::uint64_t read_size(const std::string& header, std::uint64_t at) const;
  void take_pax(const std::string& records, std::uint64_t at, Said& said) const;
  [[noreturn]] void fail_at(std::uint64_t at, const std::string& saw) const;

  std::string path_;
  Descriptor file_;
  std::uint64_t end_ = 0;
  std::unordered_map<std::string, Place> places_;
};

/// Archives, each opened once. Safe to use from several threads.
class TarFiles {
 public:
  std::string read(const std::string& archive, const std::string& name, std::uint64_t most_bytes);

 private:
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const TarFile>> opened_;
};

}  // namespace heed
