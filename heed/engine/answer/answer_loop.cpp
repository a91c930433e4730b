#include "heed/engine/answer/answer_loop.h"

#include <algorithm>
#include <new>
#include <utility>

#include "heed/base/error.h"
#include "heed/device/out_of_memory.h"

namespace heed {

/// The number of cells that are read before they are answered. Lines are ordered by their length
/// before they are searched in batches. Pictures have one size, and their files are large.
size_t AnswerLoop::at_once() const {
  const auto batch = static_cast<size_t>(options_.batch);
  const bool has_text = models_.front()->fields.source->has_tokens();
  return has_text ? 16 * batch : batch;
}

void AnswerLoop::answer_cells(std::span<const std::string> cells) {
  is_single_ = is_single_ && cells.size() == 1;
  for (size_t first = 0; first < cells.size(); first += at_once()) {
    const auto some = cells.subspan(first, std::min(at_once(), cells.size() - first));
    const auto one_by_one = [this, some] {
      std::for_each(some.begin(), some.end(), [this](const auto& cell) { answer_alone(cell); });
    };
    if (is_single_) {
      answer_together(some);
      continue;
    }
    try {
      answer_together(some);
    } catch (const Error& error) {
      if (error.fault() != Fault::file && dynamic_cast<const OutOfMemory*>(&error) == nullptr) {
        throw;
      }
      one_by_one();
    } catch (const std::bad_alloc&) {
      one_by_one();
    }
  }
}

void AnswerLoop::answer_together(std::span<const std::string> cells) {
  options_.first_line = done_ + 1;
  const std::vector<Replies> all = answer(models_, cells, options_);
  for (const Replies& replies : all) {
    for (const std::string& warning : replies.warnings) {
      taker_->warn(warning);
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    taker_->take(all[i].best, cells[i], done_);
    ++done_;
  }
  taker_->end_group();
}

void AnswerLoop::answer_alone(const std::string& cell) {
  const std::string what = fmt::format("{} {}", kind_->unit, done_ + 1);
  try {
    answer_together({&cell, 1});
  } catch (const OutOfMemory& error) {
    lack(cell, fmt::format("{}: {}", what, error.what()), error.fault());
  } catch (const Error& error) {
    if (error.fault() != Fault::file) {
      throw;
    }
    lack(cell, fmt::format("{}: {}", what, error.what()), error.fault());
  } catch (const std::bad_alloc&) {
    const std::string its =
        models_.front()->fields.source->has_tokens()
            ? fmt::format("its {} bytes; cut it, or lower `max_source`", cell.size())
            : fmt::format("{}; make it shorter or smaller", cell);
    lack(cell, fmt::format("{}: there is not enough memory for {}", what, its), Fault::runtime);
  }
}

void AnswerLoop::lack(const std::string& cell, const std::string& why, Fault fault) {
  exit_code_ = exit_code_ == 0 ? static_cast<int>(fault) : exit_code_;
  taker_->lack(cell, done_, why);
  ++done_;
}

void AnswerLoop::answer_lines(LineReader& reader, const LineHooks& hooks) {
  is_single_ = false;
  std::vector<std::string> lines;
  const auto flush = [&] {
    auto left = static_cast<int64_t>(lines.size());
    if (hooks.advance) {  // a line may have several parts, and an empty one has none
      follow([&](double /*seconds*/) { hooks.advance(left-- > 0 ? 1 : 0); });
    }
    answer_cells(std::exchange(lines, {}));
    if (hooks.advance) {
      follow({});  // it refers to `left`
      hooks.advance(std::max<int64_t>(left, 0));
    }
  };
  for (std::string line;;) {
    LineFound found = LineFound::none;
    try {
      found = reader.find(line);
    } catch (const Error&) {
      flush();  // the lines before the fault
      throw;
    }
    if (found == LineFound::none) {
      break;
    }
    const std::string fault = hooks.fault(line, found);
    if (fault.empty()) {
      lines.push_back(line);
    } else {
      flush();
      lack("", fmt::format("{}: {}", reader.where(), fault), Fault::file);
      if (hooks.advance) {
        hooks.advance(1);
      }
    }
    // A writer that waits for an answer before it writes the next line must get it.
    if (lines.size() >= at_once() || !reader.has_more_at_hand()) {
      flush();
      hooks.wait();
    }
  }
  flush();
}

}  // namespace heed
