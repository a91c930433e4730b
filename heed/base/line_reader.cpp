#include "heed/base/line_reader.h"

#include <fmt/core.h>
#include <poll.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"

namespace heed {

/// Decompressed bytes, a window at a time.
class LineReader::Source {
 public:
  Source(const std::string& path, std::string name)
      : path_(std::move(name)), file_(open_stream(path)) {
    // The first two bytes tell gzip from text; a pipe may deliver them one at a time.
    while (raw_size_ < 2 && !ended_) {
      fetch();
    }
    compressed_ = raw_size_ >= 2 && raw_[0] == 0x1f && raw_[1] == 0x8b;
    if (compressed_ && inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) {
      fail("{}: cannot start to decompress; free some memory", path_);
    }
    clear_.resize(compressed_ ? raw_.size() : 0);
  }
  ~Source() {
    if (compressed_) {
      inflateEnd(&stream_);
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// The bytes read so far, after fetching some if there are none; empty at the end of the file.
  /// `line` is the line they belong to, for error messages.
  std::string_view window(std::int64_t line) {
    line_ = line;
    while (window_.empty()) {
      if (compressed_ ? !inflate_some() : !take_plain()) {
        return {};
      }
    }
    return window_;
  }
  void consume(std::size_t bytes) { window_.remove_prefix(bytes); }
  bool has_more_at_hand() const {
    if (window_.find('\n') != std::string_view::npos || raw_size_ > 0 || stream_.avail_in > 0) {
      return true;
    }
    pollfd waiting{file_.number(), POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
  }

 private:
  /// Adds bytes of the file to raw_.
  void fetch() {
    const std::size_t got =
        read_some(file_, path_, raw_.data() + raw_size_, raw_.size() - raw_size_);
    raw_size_ += got;
    ended_ = got == 0;
  }

  bool take_plain() {
    if (raw_size_ == 0 && !ended_) {  // a terminal has ended only once: it must not be asked again
      fetch();
    }
    window_ = {reinterpret_cast<const char*>(raw_.data()), raw_size_};
    raw_size_ = 0;
    return !window_.empty();
  }

  bool inflate_some() {
    if (stream_.avail_in == 0) {
      if (raw_size_ == 0) {
        fetch();
      }
      if (raw_size_ == 0) {
        if (!member_ended_) {
          fail_gzip("ends too early");
        }
        return false;
      }
      stream_.next_in = raw_.data();
      stream_.avail_in = static_cast<uInt>(raw_size_);
      raw_size_ = 0;
    }
    if (member_ended_) {  // a gzip file may have several members, one after another
      inflateReset(&stream_);
      member_ended_ = false;
    }
    stream_.next_out = clear_.data();
    stream_.avail_out = static_cast<uInt>(clear_.size());
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome != Z_OK && outcome != Z_STREAM_END) {
      fail_gzip(stream_.msg != nullptr ? stream_.msg : "is damaged");
    }
    member_ended_ = outcome == Z_STREAM_END;
    window_ = {reinterpret_cast<const char*>(clear_.data()), clear_.size() - stream_.avail_out};
    return true;
  }

  [[noreturn]] void fail_gzip(const char* what) {
    fail(Fault::file, "{}:{}: the gzip data {}; fetch the file again", path_, line_, what);
  }

  std::string path_;
  std::int64_t line_ = 1;
  Descriptor file_;
  std::array<Bytef, 1 << 16> raw_;  // not cleared: only what was read into it is looked at
  std::vector<Bytef> clear_;        // has its size where the file is compressed
  std::size_t raw_size_ = 0;
  bool ended_ = false;
  bool compressed_ = false;
  bool member_ended_ = false;
  z_stream stream_{};
  std::string_view window_;
};

LineReader::LineReader(const std::string& path, std::size_t most_line_bytes)
    : path_(path == "-" ? "standard input" : path),
      most_line_bytes_(most_line_bytes),
      source_(std::make_unique<Source>(path, path_)) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

std::string LineReader::where() const { return fmt::format("{}:{}", path_, line_number_); }

bool LineReader::has_more_at_hand() const { return source_->has_more_at_hand(); }

bool LineReader::next(std::string& line) {
  const LineFound found = find(line);
  if (found == LineFound::too_long) {
    fail(Fault::file, "{}: the line is longer than {} bytes; is it text?", where(),
         most_line_bytes_);
  }
  return found == LineFound::line;
}

void LineReader::pass_over_rest() {
  constexpr std::size_t most_passed = std::size_t{1} << 30;
  for (std::size_t passed = 0; is_inside_line_;) {
    const std::string_view window = source_->window(line_number_);
    passed += window.size();
    if (passed > most_passed) {
      fail(Fault::file, "{}: the line has more than {} bytes and no end; give a file of text",
           where(), most_passed);
    }
    const std::size_t newline = window.find('\n');
    is_inside_line_ = !window.empty() && newline == std::string_view::npos;
    source_->consume(newline == std::string_view::npos ? window.size() : newline + 1);
  }
}

LineFound LineReader::find(std::string& line) {
  pass_over_rest();
  line.clear();
  bool begun = false;
  bool ended = false;
  while (!ended) {
    const std::string_view window = source_->window(line_number_ + 1);
    if (window.empty()) {
      break;
    }
    begun = true;
    const std::size_t newline = window.find('\n');
    ended = newline != std::string_view::npos;
    const std::string_view part = window.substr(0, newline);
    if (line.size() + part.size() > most_line_bytes_) {
      ++line_number_;
      is_inside_line_ = true;
      return LineFound::too_long;
    }
    line.append(part);
    source_->consume(part.size() + (ended ? 1 : 0));
  }
  if (!begun) {
    return LineFound::none;
  }
  ++line_number_;
  if (ended && !line.empty() && line.back() == '\r') {
    line.pop_back();
  }
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (line_number_ == 1 && line.starts_with(mark)) {
    line.erase(0, mark.size());
  }
  return LineFound::line;
}

}  // namespace heed
