#include "heed/import/stored_zip.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "heed/base/error.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::size_t most_members = std::size_t{1} << 16;
constexpr std::size_t most_directory_bytes = std::size_t{1} << 24;
constexpr std::size_t longest_member_name = 1024;
constexpr std::size_t longest_comment = 0xFFFF;

constexpr std::string_view end_mark = "PK\5\6";
constexpr std::size_t end_bytes = 22;
constexpr std::string_view locator_mark = "PK\6\7";
constexpr std::size_t locator_bytes = 20;
constexpr std::string_view wide_end_mark = "PK\6\6";
constexpr std::size_t wide_end_bytes = 56;
constexpr std::string_view entry_mark = "PK\1\2";
constexpr std::size_t entry_bytes = 46;
constexpr std::string_view header_mark = "PK\3\4";
constexpr std::size_t header_bytes = 30;

constexpr std::uint64_t in_wide_field = 0xFFFFFFFF;  // instead of a number of 32 bits

/// The number of `count` bytes at `at`, which must be there; the first byte is the lowest.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t end = 0;  // what is behind it begins here
};

struct Entry {
  ZipMember member;
  std::uint64_t header = 0;  // where its header begins
  std::uint64_t name_size = 0;
};

class ZipReading {
 public:
  ZipReading(const ByteSource& bytes, const std::string& who) : bytes_(bytes), who_(who) {}

  std::vector<ZipMember> read() {
    const Directory directory = find_directory();
    read_entries(directory);
    find_bytes();
    check_overlaps(directory.begin);
    std::vector<ZipMember> members;
    for (Entry& entry : entries_) {
      members.push_back(std::move(entry.member));
    }
    return members;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Fault::file, "{}: {}; the archive is corrupt or not one of torch.save", who_,
         fmt::format(format, std::forward<Args>(args)...));
  }

  Directory find_directory() const {
    const std::uint64_t size = bytes_.size();
    const std::uint64_t tail = std::min<std::uint64_t>(size, end_bytes + longest_comment);
    const std::string last = bytes_.text(size - tail, tail);
    for (std::size_t at = last.size() < end_bytes ? 0 : last.size() - end_bytes + 1; at-- > 0;) {
      if (last.compare(at, end_mark.size(), end_mark) == 0 &&
          at + end_bytes + number(last, at + 20, 2) == last.size()) {
        return wide_or(size - tail + at, {number(last, at + 10, 2), number(last, at + 16, 4),
                                          number(last, at + 12, 4), size - tail + at});
      }
    }
    refuse("it has no directory at its end");
  }

  /// The directory as its 64-bit fields say, if there are any before its end mark.
  Directory wide_or(std::uint64_t end, const Directory& narrow) const {
    Directory found = narrow;
    if (end >= locator_bytes) {
      const std::string locator = bytes_.text(end - locator_bytes, locator_bytes);
      if (locator.starts_with(locator_mark)) {
        const std::uint64_t at = number(locator, 8, 8);
        if (at > end - locator_bytes || end - locator_bytes - at < wide_end_bytes) {
          refuse("its directory is said to end at byte {}", at);
        }
        const std::string wide = bytes_.text(at, wide_end_bytes);
        if (!wide.starts_with(wide_end_mark)) {
          refuse("its directory does not end at byte {}", at);
        }
        found = {number(wide, 32, 8), number(wide, 48, 8), number(wide, 40, 8), at};
      }
    }
    if (found.begin > found.end || found.size != found.end - found.begin) {
      refuse("its directory of {} bytes from {} on does not end at {}", found.size, found.begin,
             found.end);
    }
    if (found.size > most_directory_bytes || found.members > most_members) {
      refuse("its directory has {} members in {} bytes, more than {} in {}", found.members,
             found.size, std::size_t{most_members}, std::size_t{most_directory_bytes});
    }
    return found;
  }

  void read_entries(const Directory& directory) {
    const std::string all = bytes_.text(directory.begin, directory.size);
    std::string_view rest = all;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < directory.members; ++i) {
      if (rest.size() < entry_bytes || !rest.starts_with(entry_mark)) {
        refuse("entry {} of its directory is none", i);
      }
      const std::uint64_t name_size = number(rest, 28, 2);
      const std::uint64_t extra_size = number(rest, 30, 2);
      const std::uint64_t size = entry_bytes + name_size + extra_size + number(rest, 32, 2);
      if (size > rest.size()) {
        refuse("entry {} of its directory is cut short", i);
      }
      Entry entry{
          {std::string(rest.substr(entry_bytes, name_size))}, number(rest, 42, 4), name_size};
      check_name(entry.member.name);
      if (!names.insert(entry.member.name).second) {
        refuse("it has {} twice", make_visible(entry.member.name));
      }
      read_sizes(rest, rest.substr(entry_bytes + name_size, extra_size), entry);
      entries_.push_back(std::move(entry));
      rest.remove_prefix(size);
    }
    if (!rest.empty()) {
      refuse("its directory has {} bytes too many", rest.size());
    }
  }

  void check_name(const std::string& name) const {
    const bool leaves = name.starts_with('/') || name.starts_with("../") || name == ".." ||
                        name.find("/../") != std::string::npos || name.ends_with("/..");
    const bool is_odd = name.empty() || name.size() > longest_member_name ||
                        name.find('\0') != std::string::npos ||
                        name.find('\\') != std::string::npos;
    if (leaves || is_odd) {
      refuse("a member is called \"{}\"", make_visible(name.substr(0, 100)));
    }
  }

  /// The sizes and the place of a member; the wide field has those that are too large for 32 bits.
  void read_sizes(std::string_view entry, std::string_view extra, Entry& to) const {
    if ((number(entry, 8, 2) & 1) != 0 || number(entry, 10, 2) != 0) {
      refuse("{} is compressed or encrypted, which torch.save does not do",
             make_visible(to.member.name));
    }
    std::string_view wide;
    while (extra.size() >= 4 && wide.empty()) {
      const std::uint64_t size = std::min<std::uint64_t>(number(extra, 2, 2), extra.size() - 4);
      wide = number(extra, 0, 2) == 1 ? extra.substr(4, size) : std::string_view();
      extra.remove_prefix(4 + size);
    }
    const auto widened = [&](std::uint64_t narrow) {
      if (narrow != in_wide_field || wide.size() < 8) {
        return narrow;
      }
      const std::uint64_t value = number(wide, 0, 8);
      wide.remove_prefix(8);
      return value;
    };
    to.member.size = widened(number(entry, 24, 4));
    const std::uint64_t packed = widened(number(entry, 20, 4));
    to.header = widened(to.header);
    if (packed != to.member.size) {
      refuse("{} has {} bytes, of which {} are stored", make_visible(to.member.name),
             to.member.size, packed);
    }
  }

  /// Reads the header before the bytes of each member.
  void find_bytes() {
    for (Entry& entry : entries_) {
      const std::string name = make_visible(entry.member.name);
      if (entry.header > bytes_.size() || bytes_.size() - entry.header < header_bytes) {
        refuse("{} begins at byte {} of {}", name, entry.header, bytes_.size());
      }
      const std::string header = bytes_.text(entry.header, header_bytes);
      const std::uint64_t begin =
          entry.header + header_bytes + entry.name_size + number(header, 28, 2);
      if (!header.starts_with(header_mark) || number(header, 26, 2) != entry.name_size ||
          number(header, 8, 2) != 0 || begin > bytes_.size() ||
          bytes_.text(entry.header + header_bytes, entry.name_size) != entry.member.name) {
        refuse("{} has another header than the directory says", name);
      }
      if (entry.member.size > bytes_.size() - begin) {
        refuse("{} would have {} bytes in a file of {}", name, entry.member.size, bytes_.size());
      }
      entry.member.begin = begin;
    }
  }

  void check_overlaps(std::uint64_t directory) const {
    std::vector<const Entry*> ordered;
    for (const Entry& entry : entries_) {
      ordered.push_back(&entry);
    }
    std::sort(ordered.begin(), ordered.end(),
              [](const Entry* a, const Entry* b) { return a->header < b->header; });
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      const std::uint64_t next = i + 1 < ordered.size() ? ordered[i + 1]->header : directory;
      if (ordered[i]->member.begin + ordered[i]->member.size > next) {
        refuse("{} overlaps what is behind it", make_visible(ordered[i]->member.name));
      }
    }
  }

  const ByteSource& bytes_;
  const std::string& who_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<ZipMember> members_of_stored_zip(const ByteSource& bytes, const std::string& who) {
  return ZipReading(bytes, who).read();
}

}  // namespace heed
