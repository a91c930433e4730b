// heed plot: losses, rewards and scores of one or more runs over their steps, or over another number, as
// an SVG.
#include <fmt/core.h>

#include <algorithm>

#include "heed/base/atomic_file.h"
#include "heed/base/catalogue.h"
#include "heed/base/error.h"
#include "heed/cli/typed_input.h"
#include "heed/cli/verbs.h"
#include "heed/engine/run/run_curves.h"
#include "heed/see/curves.h"

namespace heed {
namespace {

class PlotVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("runs", runs_,
             "folders of runs (or their metrics.jsonl); several are drawn into the same panels")
        .takes("FOLDER");
    options
        .add("--only", only_,
             "quantities to draw, separated by commas; without it, all but speed and rates")
        .takes("NAMES")
        .split_at(',');
    options
        .add("--over", over_,
             "the number of each line that the others are drawn over, such as length")
        .takes("NAME")
        .with_default();
    options.flag("--list", is_list_, "print the names of the quantities and their last values");
    options.add("--svg", svg_, "write the drawing into this file instead of standard output")
        .check(file_of_format("svg"))
        .takes("FILE");
  }
  std::string description() const override {
    return "Draws the losses and scores of one run or of several over their steps, as SVG, "
           "from the lines that training writes into metrics.jsonl; with --over, any "
           "lines of JSON objects.";
  }
  bool computes() const override { return false; }
  std::string examples() const override {
    return "  heed plot runs/dates-self-critical --svg rewards.svg\n"
           "  heed plot runs/plain runs/guided --only loss,valid_loss > losses.svg\n"
           "  heed plot --list runs/dates-additive\n"
           "  heed plot fixed attention --over length --only bleu --svg lengths.svg\n";
  }

  int run() override {
    if (runs_.empty()) {
      fail(Fault::usage, "plot: there is nothing to draw; name the folder of a run");
    }
    if (!is_list_ && svg_.empty() && is_terminal_output()) {
      fail(Fault::usage,
           "plot: the drawing is an SVG file, which is no text for a terminal; add --svg FILE");
    }
    if (runs_.size() > most_curves) {
      fail(Fault::usage,
           "plot: {} runs are too many; draw at most {}, so that their colours differ",
           runs_.size(), most_curves);
    }
    std::vector<CurvePanel> panels;
    for (size_t r = 0; r < runs_.size(); ++r) {
      for (auto& [quantity, curve] : read_run(runs_[r], over_)) {
        panel_of(panels, quantity).curves[r].points = std::move(curve.points);
      }
    }
    panels = chosen(std::move(panels));
    if (is_list_) {
      list(panels);
    } else if (svg_.empty()) {
      fmt::print("{}", draw_curves(panels));
    } else {
      write_atomically(svg_, draw_curves(panels));
    }
    return 0;
  }

 private:
  /// The panel of a quantity, with a curve for every run, which may stay empty.
  CurvePanel& panel_of(std::vector<CurvePanel>& panels, const std::string& quantity) const {
    const auto found = std::find_if(panels.begin(), panels.end(),
                                    [&](const auto& panel) { return panel.title == quantity; });
    if (found != panels.end()) {
      return *found;
    }
    panels.push_back({quantity, {}, over_});
    for (const std::string& run : runs_) {
      panels.back().curves.push_back({run, {}});
    }
    return panels.back();
  }

  /// The panels that are asked for, in that order.
  std::vector<CurvePanel> chosen(std::vector<CurvePanel> panels) const {
    std::vector<CurvePanel> kept;
    if (only_.empty()) {
      std::copy_if(panels.begin(), panels.end(), std::back_inserter(kept),
                   [](const CurvePanel& panel) { return is_telling(panel.title); });
      return kept;
    }
    std::vector<std::string> names;
    for (const CurvePanel& panel : panels) {
      names.push_back(panel.title);
    }
    for (const std::string& name : only_) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        fail_unknown_name("plot", name, names, {});
      }
      kept.push_back(panels[static_cast<size_t>(found - names.begin())]);
    }
    return kept;
  }

  static void list(const std::vector<CurvePanel>& panels) {
    for (const CurvePanel& panel : panels) {
      for (const Curve& curve : panel.curves) {
        if (curve.points.empty()) {
          continue;
        }
        fmt::print("{}\t{}\t{} {:.6g}\t{:.6g}\n", curve.name, panel.title, panel.over,
                   curve.points.back().first, curve.points.back().second);
      }
    }
  }

  std::vector<std::string> runs_;
  std::vector<std::string> only_;
  std::string svg_;
  std::string over_ = "step";
  bool is_list_ = false;
};

}  // namespace

std::unique_ptr<Verb> plot_verb() { return std::make_unique<PlotVerb>(); }

}  // namespace heed
