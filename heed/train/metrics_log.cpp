#include "heed/train/metrics_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"

namespace heed {
namespace {

/// Whether `line` is whole and of a step up to `step`.
bool stays(std::string_view line, int64_t step) {
  try {
    const Json json = parse_json(line, "metrics");
    return JsonReader(json, "metrics").at("step").integer() <= step;
  } catch (const Error&) {
    return false;
  }
}

std::string lines_up_to(const std::string& text, int64_t step) {
  std::string kept;
  std::string_view rest = text;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (stays(rest.substr(0, end), step)) {
      kept += rest.substr(0, end + 1);
    }
    rest.remove_prefix(end + 1);
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(std::string path, int64_t step) : path_(std::move(path)) {
  if (file_exists(path_)) {
    const std::string text = read_file(path_);
    const std::string kept = lines_up_to(text, step);
    if (kept != text) {
      write_atomically(path_, kept);
    }
  }
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.is_open()) {
    fail(Fault::disk, "{}: cannot open it ({}); check the path, your rights and the disk", path_,
         std::strerror(errno));
  }
}

void MetricsLog::add(const Json& line) {
  const std::string text = line.write() + "\n";
  const ssize_t written = ::write(file_.number(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    fail(Fault::disk, "{}: cannot add a line of {} bytes ({}); make room", path_, text.size(),
         written < 0 ? std::strerror(errno) : "only part of it fitted");
  }
}

}  // namespace heed
