#include "heed/metric/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace heed {
namespace {

std::string range(const Confidence& confidence, int width) {
  return fmt::format("μ = {:.{}f} ± {:.{}f}", confidence.mean, width, confidence.margin, width);
}

/// sacreBLEU prints no confidence where all samples score 0.
bool is_shown(const std::optional<Confidence>& confidence) {
  return confidence && confidence->mean > 0;
}

/// The value of the number as it is printed.
double rounded(double value, int width) {
  return std::strtod(fmt::format("{:.{}f}", value, width).c_str(), nullptr);
}

}  // namespace

std::string Evaluation::line(int width) const {
  std::string out =
      fmt::format("{}{}{} = {:.{}f}", title, signature.empty() ? "" : "|", signature, score, width);
  if (is_shown(confidence)) {
    out += fmt::format(" ({})", range(*confidence, width));
  }
  return details.empty() ? out : out + " " + details;
}

Json Evaluation::json(int width) const {
  Json out = Json::object();
  out.set("name", title);
  out.set("score", rounded(score, width));
  out.set("signature", signature);
  if (is_shown(confidence)) {
    out.set("confidence_mean", rounded(confidence->mean, width));
    out.set("confidence_var", rounded(confidence->margin, width));
    out.set("confidence", range(*confidence, width));
  }
  if (!details.empty()) {
    out.set("verbose_score", details);
  }
  for (std::size_t at = 0; at < signature.size();) {
    const std::size_t end = std::min(signature.find('|', at), signature.size());
    const std::size_t colon = signature.find(':', at);
    out.set(signature.substr(at, colon - at), signature.substr(colon + 1, end - colon - 1));
    at = end + 1;
  }
  return out;
}

std::string below_each_other(std::span<const std::string> lines) {
  std::size_t column = 0;
  for (const std::string& line : lines) {
    column = std::max(column, line.find(" = "));
  }
  std::string all;
  for (const std::string& line : lines) {
    all += std::string(column - line.find(" = "), ' ') + line + "\n";
  }
  return all;
}

std::string signature(const Metric& metric, std::span<const References> references,
                      const Procedure& procedure) {
  const std::size_t count = references.empty() ? 0 : references.front().size();
  const bool varies = std::any_of(references.begin(), references.end(),
                                  [&](const References& some) { return some.size() != count; });
  std::string out = varies ? "nrefs:var" : fmt::format("nrefs:{}", count);
  if (procedure.bootstrap) {
    out += fmt::format("|bs:{}", *procedure.bootstrap);
  }
  if (procedure.randomisation) {
    out += fmt::format("|ar:{}", *procedure.randomisation);
  }
  if (procedure.bootstrap || procedure.randomisation) {
    out += fmt::format("|seed:{}", procedure.seed);
  }
  for (const auto& [key, value] : metric.traits()) {
    out += fmt::format("|{}:{}", key, value);
  }
  return out;
}

Evaluation evaluate(const Metric& metric, std::span<const std::string> hypotheses,
                    std::span<const References> references,
                    const std::optional<Sampling>& sampling) {
  const std::vector<Statistics> sentences = metric.statistics(hypotheses, references);
  const Statistics sum = sum_of(sentences);
  Evaluation out{.metric = std::string(metric.name()),
                 .title = metric.title(),
                 .score = metric.score(sum),
                 .confidence = {},
                 .details = metric.details(sum),
                 .signature = {}};
  Procedure procedure;
  if (sampling) {
    out.confidence = bootstrap(metric, sentences, *sampling);
    procedure = {.bootstrap = sampling->samples, .randomisation = {}, .seed = sampling->seed};
  }
  out.signature = signature(metric, references, procedure);
  return out;
}

}  // namespace heed
