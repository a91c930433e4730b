#include "heed/train/metrics_log.h"

#include <string_view>

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

/// The file without what will come again.
const std::string& cut_after(const std::string& path, int64_t step) {
  if (file_exists(path)) {
    const std::string text = read_file(path);
    const std::string kept = lines_up_to(text, step);
    if (kept != text) {
      write_atomically(path, kept);
    }
  }
  return path;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path, int64_t step) : file_(cut_after(path, step)) {}

}  // namespace heed
