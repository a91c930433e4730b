#include "heed/metric/paired_evaluation.h"

#include <fmt/format.h>

namespace heed {

std::string SystemScore::line(int width) const {
  const std::string score = made.line(width) + " " + name;
  return p ? fmt::format("{} (p = {:.4f}){}", score, *p, *p < 0.05 ? "*" : "") : score;
}

Json SystemScore::json() const {
  Json out = Json::object();
  out.set("system", name);
  out.set("name", made.title);
  out.set("score", made.score);
  out.set("p_value", p ? Json(*p) : Json());
  out.set("mean", made.confidence ? Json(made.confidence->mean) : Json());
  out.set("ci", made.confidence ? Json(made.confidence->margin) : Json());
  out.set("signature", made.signature);
  return out;
}

std::pair<SystemScore, SystemScore> evaluate_pair(const Metric& metric, const SystemOutput& first,
                                                  const SystemOutput& second,
                                                  std::span<const References> references,
                                                  PairedTestKind test, const Sampling& sampling) {
  const bool is_bootstrap = test == PairedTestKind::bootstrap;
  const Sampling how{.samples = sampling.samples > 0 ? sampling.samples
                                : is_bootstrap       ? 1000
                                                     : 10000,
                     .seed = sampling.seed};
  const std::optional<Sampling> sure = is_bootstrap ? std::optional(how) : std::nullopt;
  SystemScore one{first.name, evaluate(metric, first.lines, references, sure)};
  SystemScore other{second.name, evaluate(metric, second.lines, references, sure)};
  const auto baseline = metric.statistics(first.lines, references);
  const auto system = metric.statistics(second.lines, references);
  other.p = is_bootstrap ? paired_bootstrap(metric, baseline, system, how).p
                         : paired_randomisation(metric, baseline, system, how).p;
  if (!is_bootstrap) {
    one.made.signature = other.made.signature =
        signature(metric, references, {.randomisation = how.samples, .seed = how.seed});
  }
  one.made.details.clear();
  other.made.details.clear();
  return {one, other};
}

}  // namespace heed
