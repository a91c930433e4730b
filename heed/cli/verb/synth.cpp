// heed synth TASK: examples of a made-up task, source and target with a tab between.
#include <fmt/core.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/cli/verbs.h"
#include "heed/data/synths.h"

namespace heed {
namespace {

class SynthVerb : public Verb {
 public:
  void options(Options& options) override {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    std::string tasks;
    for (const std::string& name : synths().names()) {
      tasks += (tasks.empty() ? "" : ", ") + name;
    }
    options.add("task", task_, "which: " + tasks).required().check(one_of(synths().listing()));
    options.add("-n,--count", count_, "number of examples")
        .check(whole(0, most))
        .takes("N")
        .with_default();
    options.add("--seed", seed_, "another seed gives other examples")
        .check(seed_number())
        .takes("N")
        .with_default();
    options.add("--split", split_, "train, valid or test; they never overlap")
        .check(one_of(splits))
        .takes("NAME")
        .with_default();
    options.flag("--boxes", prints_boxes_,
                 "print targets and the places in the picture that their words name, for heed "
                 "evaluate --boxes");
    options.flag("--times", prints_times_,
                 "print instead of pairs the target's words with the second at which each begins "
                 "(tones)");
  }
  std::string description() const override {
    return "Prints examples of a made-up task, such as dates written in many ways. Training, "
           "validation and test examples never overlap.";
  }
  std::string examples() const override {
    return "  heed synth dates\n  heed synth reverse -n 1000 --split test > test.tsv\n"
           "  heed synth shapes --boxes > boxes.txt\n"
           "  heed synth tones -n 1000 --split test --times > starts.txt\n";
  }
  int run() override {
    const auto task = synths().make(task_);
    const auto which = std::find(splits.begin(), splits.end(), split_) - splits.begin();
    for (uint64_t i = 0; i < count_; ++i) {
      const Example example = task->make(seed_, i, static_cast<Split>(which));
      if (prints_boxes_) {
        print_boxes(*task, example);
      } else if (prints_times_) {
        print_times(*task, example);
      } else {
        fmt::print("{}\t{}\n", example.source, example.target);
      }
    }
    return 0;
  }

 private:
  void print_times(const Synth& task, const Example& example) const {
    const std::string times = task.times(example);
    if (times.empty()) {
      fail(Fault::usage,
           "synth: --times is for sources with times, and those of {} have none; leave it out",
           task_);
    }
    fmt::print("{}\n", times);
  }
  void print_boxes(const Synth& task, const Example& example) const {
    const std::string line = task.gold_line(example);
    if (line.empty()) {
      fail(Fault::usage, "synth: --boxes: the targets of {} name no places; use shapes", task_);
    }
    fmt::print("{}\n", line);
  }

  static inline const std::vector<std::string> splits = {"train", "valid", "test"};
  std::string task_;
  uint64_t count_ = 10;
  uint64_t seed_ = 1;
  std::string split_ = "train";
  bool prints_boxes_ = false;
  bool prints_times_ = false;
};

}  // namespace

std::unique_ptr<Verb> synth_verb() { return std::make_unique<SynthVerb>(); }

}  // namespace heed
