#include "heed/train/metrics_log.h"

#include <string_view>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"

namespace heed {
namespace {

/// Where a run resumes.
struct ResumePoint {
  int64_t step;
  bool owes_validation;
};

/// Whether `line` is whole and will not be written again.
bool stays(std::string_view line, const ResumePoint& point) {
  try {
    const Json json = parse_json(line, "metrics");
    const JsonReader reader(json, "metrics");
    const int64_t step = reader.at("step").integer();
    const bool is_owed = point.owes_validation && reader.find("valid_loss");
    return step < point.step || (step == point.step && !is_owed);
  } catch (const Error&) {
    return false;
  }
}

std::string lines_up_to(const std::string& text, const ResumePoint& point) {
  std::string kept;
  std::string_view rest = text;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (stays(rest.substr(0, end), point)) {
      kept += rest.substr(0, end + 1);
    }
    rest.remove_prefix(end + 1);
  }
  return kept;
}

/// Removes from the file what will be written again.
const std::string& cut_after(const std::string& path, const ResumePoint& point) {
  if (file_exists(path)) {
    const std::string text = read_file(path);
    const std::string kept = lines_up_to(text, point);
    if (kept != text) {
      write_atomically(path, kept);
    }
  }
  return path;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path, int64_t step, bool owes_validation)
    : file_(cut_after(path, {step, owes_validation})) {}

}  // namespace heed
