// --draw, --png and --svg, shared by the verbs that show attention.
#pragma once

#include <string>

#include "heed/cli/options.h"
#include "heed/engine/translation.h"

namespace heed {

class Drawing {
 public:
  void options(Options& options);
  bool is_wanted() const { return draws_ || !svg_.empty() || !png_.empty(); }
  int64_t block() const { return block_; }
  int64_t head() const { return head_; }
  /// To the terminal (standard output) and to the files, as asked; the n-th drawing's file gets
  /// "-n" before its ending.
  void show(const Translation& translation, const TrainedModel& trained);

 private:
  bool draws_ = false;
  bool transposes_ = false;
  bool shows_ends_ = false;
  bool shows_tokens_ = false;
  bool shows_values_ = false;
  std::string svg_;
  std::string png_;
  std::string colour_ = "auto";
  int64_t block_ = -1;
  int64_t head_ = -1;
  int shown_ = 0;
};

}  // namespace heed
