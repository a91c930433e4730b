#include "heed/train/record.h"

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"

namespace heed {
namespace {

std::string text_of(const std::string& source, const References& references,
                    const std::string& output) {
  std::string text = fmt::format("source     {}\n", source);
  for (const std::string& reference : references) {
    text += fmt::format("reference  {}\n", reference);
  }
  return text + fmt::format("output     {}\n", output);
}

}  // namespace

Record::Record(const RunFolder& folder, int64_t step, bool owes_validation)
    : samples_(folder.samples()),
      log_(folder.metrics(), step, owes_validation),
      events_(folder.path(), step) {}

void Record::add(const Json& line, const TaggedNumbers& scalars) {
  log_.add(line);
  events_.add(JsonReader(line, "metrics").at("step").integer(), scalars);
  write_samples();
}

void Record::add_samples(int64_t step, std::span<const std::string> sources,
                         std::span<const References> references, std::span<const Sample> samples) {
  const std::string stem = fmt::format("{}/step-{:08}", samples_, step);
  std::string& text = waiting_[stem + ".txt"];
  text.clear();
  for (size_t i = 0; i < samples.size(); ++i) {
    text += i == 0 ? "" : "\n";
    text += text_of(sources[i], references[i], samples[i].output);
    if (!samples[i].svg.empty()) {
      waiting_[fmt::format("{}.{}.svg", stem, i + 1)] = samples[i].svg;
    }
    if (!samples[i].png.empty()) {
      events_.add_png(step, fmt::format("sample/{}", i + 1), samples[i].png);
    }
  }
  write_samples();
}

void Record::write_samples() {
  unwritten_.clear();
  try {
    while (!waiting_.empty()) {
      make_directory(samples_);
      write_atomically(waiting_.begin()->first, waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  } catch (const Error& error) {
    if (error.fault() != Fault::disk) {
      throw;
    }
    unwritten_ = error.what();
  }
}

std::string Record::trouble() const {
  const std::string of_events = events_.trouble();
  return !log_.trouble().empty() ? log_.trouble() : !unwritten_.empty() ? unwritten_ : of_events;
}

std::string Record::new_trouble() {
  const std::string now = trouble();
  const bool is_new = !now.empty() && !was_in_trouble_;
  was_in_trouble_ = !now.empty();
  return is_new ? now : std::string();
}

void Record::close() {
  log_.add_rest();
  events_.add_rest();
  write_samples();
  if (const std::string now = trouble(); !now.empty()) {
    fail(Fault::disk, "{}", now);
  }
}

}  // namespace heed
