// How far a long task is and when it will end.
//
//   train 1200/10000 12%, ETA 3m15s, 45.2 steps/s, loss 3.21, epoch 2
//
// On a terminal one status line is redrawn in place. Elsewhere a plain line without carriage
// returns is written every 30 seconds, so that a log file stays readable. The rate and the ETA are
// those of the last minute. Quiet verbosity shows nothing. A Progress is for one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace heed {

struct ProgressOptions {
  std::string label;
  std::string unit = {};          // what is counted, in the singular
  std::int64_t total = 0;         // 0: unknown, so no percentage and no ETA
  std::int64_t already_done = 0;  // by an earlier run
  double plain_seconds = 30;
  double redraw_seconds = 0.1;
  double window_seconds = 60;
  std::function<double()> clock = {};  // seconds; the steady clock unless given
};

class Progress {
 public:
  explicit Progress(ProgressOptions options);
  /// Removes the status line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts `by` more as done; `note`, such as "loss 3.21, epoch 2", ends the line. On a narrow terminal
  /// its last items are left out.
  void advance(std::int64_t by = 1, std::string_view note = {});
  /// The time from pause to resume (a validation, say) counts neither for the rate nor for the ETA.
  void pause();
  void resume();
  /// Writes a last plain line with the whole time.
  void finish(std::string_view note = {});

  std::int64_t done() const { return done_; }
  /// Units per second over the moving window; 0 while unknown.
  double rate() const;
  /// Seconds to the end; negative while unknown.
  double remaining_seconds() const;

 private:
  struct Sample {
    double time;
    std::int64_t done;
  };

  double working_time() const;
  void keep_sample(double now);
  std::string line(const std::string& pace, std::string_view note) const;

  ProgressOptions options_;
  std::int64_t done_;
  double begun_;
  double paused_at_ = -1;
  double paused_seconds_ = 0;
  double next_show_;
  std::deque<Sample> samples_;
};

// A span of time as people write it: 3.2s, 45s, 3m12s, 2h05m, 4d03h.

/// "?" for a negative, infinite or missing (NaN) span.
std::string format_duration(double seconds);

/// A time that is usually short, for people: "0.35 ms", "45 ms", "1.2 s", then as format_duration.
std::string format_short_time(double seconds);

/// "3.92 steps/s", "1234 steps/s"; below one a second "2.5 s a step". Without a unit "3.92/s".
std::string format_rate(double a_second, const std::string& unit);

}  // namespace heed
