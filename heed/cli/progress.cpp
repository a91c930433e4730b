#include "heed/cli/progress.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include "heed/cli/log.h"

namespace heed {
namespace {

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

Progress::Progress(ProgressOptions options)
    : options_(std::move(options)), done_(options_.already_done) {
  if (!options_.clock) {
    options_.clock = steady_seconds;
  }
  begun_ = options_.clock();
  next_show_ = begun_ + (log_is_terminal() ? options_.redraw_seconds : options_.plain_seconds);
  samples_.push_back({0, done_});
}

Progress::~Progress() { show_status(""); }

/// Seconds since the beginning, without pauses.
double Progress::working_time() const {
  const double now = paused_at_ >= 0 ? paused_at_ : options_.clock();
  return now - begun_ - paused_seconds_;
}

void Progress::keep_sample(double now) {
  constexpr int samples_a_window = 60;
  if (now - samples_.back().time >= options_.window_seconds / samples_a_window) {
    samples_.push_back({now, done_});
    // One sample outside the window is kept, so that slow steps still have two samples to measure
    // between.
    while (samples_.size() > 2 && samples_[1].time <= now - options_.window_seconds) {
      samples_.pop_front();
    }
  }
}

double Progress::rate() const {
  const double span = working_time() - samples_.front().time;
  return span > 0 ? static_cast<double>(done_ - samples_.front().done) / span : 0;
}

double Progress::remaining_seconds() const {
  const double a_second = rate();
  if (options_.total <= 0 || a_second <= 0) {
    return -1;
  }
  return static_cast<double>(options_.total - done_) / a_second;
}

std::string Progress::line(const std::string& pace, std::string_view note) const {
  std::string text = options_.label + (options_.label.empty() ? "" : " ");
  if (options_.total > 0) {
    text += fmt::format("{}/{} {}%", done_, options_.total, done_ * 100 / options_.total);
  } else {
    text += fmt::format("{}", done_);
  }
  for (const std::string_view more : {std::string_view(pace), note}) {
    text += more.empty() ? "" : fmt::format(", {}", more);
  }
  return text;
}

void Progress::advance(std::int64_t by, std::string_view note) {
  done_ += by;
  keep_sample(working_time());
  const double now = options_.clock();
  if (now < next_show_ || verbosity() == Verbosity::quiet) {
    return;
  }
  const bool redraws = log_is_terminal();
  next_show_ = now + (redraws ? options_.redraw_seconds : options_.plain_seconds);
  std::string pace = format_rate(rate(), options_.unit);
  if (options_.total > 0) {
    pace = fmt::format("ETA {}, {}", format_duration(remaining_seconds()), pace);
  }
  const std::string text = line(pace, note);
  if (redraws) {
    show_status(text);
  } else {
    log_line(text);
  }
}

void Progress::pause() {
  if (paused_at_ < 0) {
    paused_at_ = options_.clock();
  }
}

void Progress::resume() {
  if (paused_at_ >= 0) {
    paused_seconds_ += options_.clock() - paused_at_;
    paused_at_ = -1;
  }
}

void Progress::finish(std::string_view note) {
  show_status("");
  if (verbosity() != Verbosity::quiet) {
    log_line(line("in " + format_duration(options_.clock() - begun_), note));
  }
}

std::string format_duration(double seconds) {
  constexpr double longest = 1e12;
  if (!(seconds >= 0 && seconds < longest)) {
    return "?";
  }
  if (seconds < 9.95) {
    return fmt::format("{:.1f}s", seconds);
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) {
    return fmt::format("{}s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  }
  const std::int64_t minutes = whole / 60;
  if (minutes < 1440) {
    return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
  }
  return fmt::format("{}d{:02}h", minutes / 60 / 24, minutes / 60 % 24);
}

std::string format_short_time(double seconds) {
  if (!(seconds >= 0)) {
    return "?";
  }
  return seconds >= 9.95      ? format_duration(seconds)
         : seconds >= 0.9995  ? fmt::format("{:.1f} s", seconds)
         : seconds >= 0.00995 ? fmt::format("{:.0f} ms", 1e3 * seconds)
                              : fmt::format("{:.2g} ms", 1e3 * seconds);
}

std::string format_rate(double a_second, const std::string& unit) {
  if (a_second > 0 && a_second < 1 && !unit.empty()) {
    return fmt::format("{} a {}", format_short_time(1 / a_second), unit);
  }
  const std::string number =
      a_second >= 100 ? fmt::format("{:.0f}", a_second) : fmt::format("{:.3g}", a_second);
  return number + (unit.empty() ? "" : " " + unit + "s") + "/s";
}

}  // namespace heed
