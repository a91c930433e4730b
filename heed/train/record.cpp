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
}

void Record::add_samples(int64_t step, std::span<const std::string> sources,
                         std::span<const References> references, std::span<const Sample> samples) {
  unwritten_.clear();
  try {
    make_directory(samples_);
    const std::string stem = fmt::format("{}/step-{:08}", samples_, step);
    std::string text;
    for (size_t i = 0; i < samples.size(); ++i) {
      text += i == 0 ? "" : "\n";
      text += text_of(sources[i], references[i], samples[i].output);
      if (!samples[i].svg.empty()) {
        write_atomically(fmt::format("{}.{}.svg", stem, i + 1), samples[i].svg);
      }
      if (!samples[i].png.empty()) {
        events_.add_png(step, fmt::format("sample/{}", i + 1), samples[i].png);
      }
    }
    write_atomically(stem + ".txt", text);
  } catch (const Error& error) {
    if (error.fault() != Fault::disk) {
      throw;
    }
    unwritten_ = error.what();
  }
}

std::string Record::new_trouble() {
  std::string trouble = log_.trouble();
  for (const std::string& other : {events_.trouble(), unwritten_}) {
    trouble = trouble.empty() ? other : trouble;
  }
  const bool is_new = !trouble.empty() && !was_in_trouble_;
  was_in_trouble_ = !trouble.empty();
  return is_new ? trouble : std::string();
}

void Record::close() {
  if (!log_.trouble().empty()) {
    fail(Fault::disk, "{}", log_.trouble());
  }
}

}  // namespace heed
