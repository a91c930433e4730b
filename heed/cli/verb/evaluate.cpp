// heed evaluate: compares output with references, or alignments with gold links, by any metric of
// the catalogue. Lines, signatures and tests are sacreBLEU's.
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/line_reader.h"
#include "heed/cli/metric_options.h"
#include "heed/cli/pointing_report.h"
#include "heed/cli/typed_input.h"
#include "heed/cli/verbs.h"
#include "heed/metric/evaluation.h"
#include "heed/metric/links.h"
#include "heed/metric/metrics.h"
#include "heed/metric/paired_evaluation.h"
#include "heed/metric/wrong_lines.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;
using Metrics = std::vector<std::unique_ptr<Metric>>;

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Lines read_lines(const std::string& path, bool are_links) {
  LineReader reader(path);
  Lines lines;
  for (std::string line; reader.next(line);) {
    check_utf8(reader.where(), line);
    if (are_links) {
      read_links(line, reader.where());
    }
    lines.push_back(line);
  }
  if (lines.empty()) {
    fail(Fault::file, "{}: it has no lines; is it the right file?", reader.path());
  }
  return lines;
}

void check_as_many(const std::string& path, const Lines& lines, const std::string& other_path,
                   const Lines& other) {
  if (lines.size() != other.size()) {
    fail(Fault::file, "{0}:{1}: the file ends here, but {3} has {2} lines; pair them line by line",
         display_name(path), lines.size(), other.size(), display_name(other_path));
  }
}

class EvaluateVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("output", output_,
             "the output to evaluate, one sentence a line; without it, or with -, standard input")
        .takes("FILE");
    options.add("-r,--reference", references_, "the reference; may be given several times")
        .takes("FILE");
    options
        .add("--links", links_,
             "gold alignments (0-0 1p2 …); the output then is alignments as well")
        .takes("FILE");
    options
        .add("--boxes", boxes_,
             "the places that a caption's words name (heed synth shapes --boxes); the output then "
             "is that of heed caption --json --alignment soft, and is judged by where it looked")
        .takes("FILE");
    options
        .add("-m,--metric", names_,
             "one or more metrics of heed inspect --parts, separated by commas")
        .split_at(',')
        .takes("NAMES")
        .completes("metrics");
    options.about_further_words("give references with -r FILE");
    options.under("Metrics");
    metric_options_.options(options);
    options.under("Tests of significance");
    test_options(options);
    options.under("Output");
    options.add("-w,--width", width_, "decimals").check(whole(0, 15)).takes("N").with_default();
    options.flag("--sentence-level", is_by_sentence_,
                 "print a score for each line (one metric only)");
    options.flag(
        "--aligned", is_aligned_,
        "error rates: print every wrong line below its reference, word by word, before the "
        "scores; with --json as wrong_lines of its metric");
    options.flag("--json", is_json_, "print JSON");
  }

  std::string description() const override {
    return "Compares output with references. BLEU, chrF and TER are those of sacreBLEU, with "
           "its signatures and, if asked, confidence intervals and tests of whether two "
           "systems differ.";
  }
  std::string examples() const override {
    return "  heed evaluate -r ref.txt out.txt\n"
           "  heed translate -m en-zh.safetensors < test.en |\n"
           "    heed evaluate -r test.zh --tokenize zh\n"
           "  heed evaluate --metric bleu -r ref.txt out.txt --paired other.txt\n"
           "  heed evaluate --metric wer,per -r ref1.txt -r ref2.txt out.txt --confidence\n"
           "  heed evaluate --links gold.txt out.align\n"
           "  heed evaluate --boxes boxes.txt looked.jsonl\n";
  }

  int run() override {
    if (!boxes_.empty()) {
      say_pointing();
      return 0;
    }
    Metrics metrics = chosen_metrics();
    read(metrics.front()->reads_links());
    for (auto& metric : metrics) {
      if (metric->needs_corpus()) {
        metric = metric->informed_by(wanted_);
      }
    }
    if (is_by_sentence_) {
      say_sentences(metrics);
    } else if (!paired_.empty()) {
      say_paired(metrics);
    } else {
      if (is_aligned_ && !is_json_) {
        fmt::print("{}", wrong_lines_text(*aligning(metrics), lines_, wanted_));
      }
      say_scores(metrics);
    }
    return 0;
  }

 private:
  void test_options(Options& options) {
    options.flag("--confidence", is_confident_, "95 % interval by bootstrap");
    options.add("--paired", paired_, "the output of another system; tests whether the two differ")
        .takes("FILE");
    options.add("--paired-test", paired_test_, "bootstrap or randomisation")
        .check(one_of({"bootstrap", "randomisation"}))
        .takes("NAME")
        .only_with({"--paired"})
        .with_default();
    options.add("--samples", samples_, "number of samples; 0: 1000, or 10000 for randomisation")
        .check(whole(0, 1'000'000))
        .only_with({"--confidence", "--paired"})
        .takes("N");
    options.add("--seed", seed_, "seed of the samples")
        .check(seed_number())
        .only_with({"--confidence", "--paired"})
        .takes("N")
        .with_default();
  }

  void say_pointing() const {
    if (!references_.empty() || !links_.empty() || !names_.empty() || !paired_.empty() ||
        is_confident_ || is_by_sentence_ || is_aligned_) {
      fail(Fault::usage,
           "evaluate: --boxes stands alone, without references, links, a metric or a test; only -w "
           "and --json go with it");
    }
    if (output_ == "-" && boxes_ == "-") {
      fail(Fault::usage, "evaluate: standard input can be read only once; give - once");
    }
    const PointingGame game = pointing_game_of(output_, boxes_);
    fmt::print("{}\n", is_json_ ? pointing_json(game).write(1) : pointing_line(game, width_));
  }

  Metrics chosen_metrics() {
    if (references_.empty() == links_.empty()) {
      fail(Fault::usage, "evaluate: {}; give --reference FILE, --links FILE or --boxes FILE",
           links_.empty() ? "there is nothing to compare with"
                          : "references and links exclude each other");
    }
    if (names_.empty()) {
      names_ = links_.empty() ? Lines{"bleu", "chrf", "ter"} : Lines{"aer"};
    }
    MetricSettings settings = metric_options_.settings();
    settings.uses_effective_order = settings.uses_effective_order || is_by_sentence_;
    Metrics chosen;
    for (const std::string& name : names_) {
      chosen.push_back(metrics().make(name));
      if (chosen.back()->reads_links() == links_.empty()) {
        fail(Fault::usage, "evaluate: --metric: {} compares {}; give {}", name,
             links_.empty() ? "alignments" : "text", links_.empty() ? "--links" : "--reference");
      }
      chosen.back()->set(settings);
    }
    metric_options_.check_effects("evaluate", chosen);
    if (is_by_sentence_ && (chosen.size() > 1 || is_confident_ || !paired_.empty())) {
      fail(Fault::usage,
           "evaluate: --sentence-level is for one metric and no test; run the others separately");
    }
    if (is_aligned_) {
      check_aligned(chosen);
    }
    return chosen;
  }

  /// What `--aligned` shows; null if it is none of them.
  static const Metric* aligning(const Metrics& metrics) {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [](const auto& one) { return one->compares_by_units(); });
    return found == metrics.end() ? nullptr : found->get();
  }

  void check_aligned(const Metrics& chosen) const {
    if (is_by_sentence_ || !paired_.empty()) {
      fail(Fault::usage, "evaluate: --aligned does not go with {}; run them separately",
           is_by_sentence_ ? "--sentence-level" : "--paired");
    }
    if (aligning(chosen) == nullptr) {
      Lines able;
      for (const auto& entry : metrics()) {
        if (entry.make()->compares_by_units()) {
          able.push_back(entry.name);
        }
      }
      fail(Fault::usage, "evaluate: --aligned: {} does not compare by units; choose one of {}",
           chosen.front()->name(), fmt::join(able, ", "));
    }
  }

  void read(bool are_links) {
    if (!links_.empty()) {
      references_ = {links_};
    }
    Lines paths = references_;
    paths.push_back(output_);
    paths.push_back(paired_);
    if (std::count(paths.begin(), paths.end(), "-") > 1) {
      fail(Fault::usage, "evaluate: standard input can be read only once; give - once");
    }
    TypedInput(
        output_, "evaluate",
        are_links ? "type the links of a sentence a line" : "type the output, a sentence a line");
    lines_ = read_lines(output_, are_links);
    wanted_.resize(lines_.size());
    for (const std::string& path : references_) {
      const Lines stream = read_lines(path, are_links);
      check_as_many(path, stream, output_, lines_);
      for (std::size_t i = 0; i < stream.size(); ++i) {
        wanted_[i].push_back(stream[i]);
      }
    }
    if (!paired_.empty()) {
      other_ = read_lines(paired_, are_links);
      check_as_many(paired_, other_, output_, lines_);
    }
  }

  void say_scores(const Metrics& metrics) const {
    const std::optional<Sampling> sure =
        is_confident_
            ? std::optional(Sampling{.samples = samples_ > 0 ? samples_ : 1000, .seed = seed_})
            : std::nullopt;
    Json all = Json::array();
    Lines report;
    for (const auto& metric : metrics) {
      const Evaluation made = evaluate(*metric, lines_, wanted_, sure);
      Json json = made.json(width_);
      if (is_aligned_ && metric->compares_by_units()) {
        json.set("wrong_lines", wrong_lines(*metric, lines_, wanted_));
      }
      all.push(std::move(json));
      report.push_back(made.line(width_));
    }
    if (is_json_) {
      fmt::print("{}\n", all.write(1));
      return;
    }
    fmt::print("{}", below_each_other(report));
  }

  void say_sentences(const Metrics& metrics) const {
    Json all = Json::array();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Evaluation made =
          evaluate(*metrics.front(), std::span(&lines_[i], 1), std::span(&wanted_[i], 1));
      all.push(made.json(width_));
      if (!is_json_) {
        fmt::print("{}\n", made.line(width_));
      }
    }
    if (is_json_) {
      fmt::print("{}\n", all.write(1));
    }
  }

  void say_paired(const Metrics& metrics) const {
    Json all = Json::array();
    for (const auto& metric : metrics) {
      const auto [first, second] = evaluate_pair(
          *metric, {output_, lines_}, {paired_, other_}, wanted_,
          paired_test_ == "bootstrap" ? PairedTestKind::bootstrap : PairedTestKind::randomisation,
          {.samples = samples_, .seed = seed_});
      all.push(first.json());
      all.push(second.json());
      if (!is_json_) {
        fmt::print("{}\n{}\n", first.line(width_), second.line(width_));
      }
    }
    if (is_json_) {
      fmt::print("{}\n", all.write(1));
    }
  }

  std::string output_ = "-";
  Lines references_;
  std::string links_;
  std::string boxes_;
  Lines names_;
  MetricOptions metric_options_;
  bool is_confident_ = false;
  std::string paired_;
  std::string paired_test_ = "bootstrap";
  int samples_ = 0;
  std::uint64_t seed_ = 12345;
  int width_ = 1;
  bool is_by_sentence_ = false;
  bool is_json_ = false;
  bool is_aligned_ = false;

  Lines lines_;
  Lines other_;  // the output of the system to compare with
  std::vector<References> wanted_;
};

}  // namespace

std::unique_ptr<Verb> evaluate_verb() { return std::make_unique<EvaluateVerb>(); }

}  // namespace heed
