// Answers cells, some at a time, or the lines of an input as they come. A cell that cannot be answered
// (it cannot be read, or needs more memory than there is) does not keep the others from being answered.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/fault.h"
#include "heed/base/line_reader.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/answer_kinds.h"

namespace heed {

/// Who takes the answers, in the order of the cells, which are numbered from 0.
class AnswerTaker {
 public:
  virtual ~AnswerTaker() = default;
  virtual void take(const std::vector<Reply>& best, const std::string& cell, int64_t number) = 0;
  /// There is no answer to a cell.
  virtual void lack(const std::string& cell, int64_t number, const std::string& why) = 0;
  virtual void warn(const std::string& line) = 0;
  /// After each group of answers.
  virtual void end_group() {}
};

struct LineHooks {
  /// Why a line cannot be answered; empty if it can.
  std::function<std::string(const std::string& line, LineFound found)> fault;
  /// Before the reader may have to wait for whoever writes the lines.
  std::function<void()> wait;
  /// Hears that so many lines more are done; may be empty.
  std::function<void(int64_t lines)> advance;
};

class AnswerLoop {
 public:
  AnswerLoop(const AnswerKind& kind, TrainedModels models, AnswerOptions options,
             AnswerTaker& taker)
      : kind_(&kind), models_(models), options_(std::move(options)), taker_(&taker) {}

  /// If there is only one cell in all, its Error is thrown; else it has no answer.
  void answer_cells(std::span<const std::string> cells);
  void answer_lines(LineReader& reader, const LineHooks& hooks);
  /// There are more cells than those of the first call of answer_cells.
  void expect_several() { is_single_ = false; }
  /// Hears of every part of a source that is done, with the seconds of its recording.
  void follow(std::function<void(double seconds)> hear) { options_.follow = std::move(hear); }
  /// 0, or the fault of the first cell without an answer, as the exit code of a command.
  int exit_code() const { return exit_code_; }

 private:
  size_t at_once() const;
  void answer_together(std::span<const std::string> cells);
  void answer_alone(const std::string& cell);
  void lack(const std::string& cell, const std::string& why, Fault fault);

  const AnswerKind* kind_;
  TrainedModels models_;
  AnswerOptions options_;
  AnswerTaker* taker_;
  int64_t done_ = 0;  // cells
  bool is_single_ = true;
  int exit_code_ = 0;
};

}  // namespace heed
