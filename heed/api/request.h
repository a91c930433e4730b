// What is asked of a model, and what it answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace heed {

using SettingValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

/// How one request is answered; each request has its own.
struct RequestOptions {
  int64_t beam = 1;                       // hypotheses kept at every step; 1: greedy
  int64_t n_best = 1;                     // outputs handed out for each text
  bool weights = false;                   // hand out where each token looked
  bool splits = false;                    // paragraphs into sentences, joined again in the answer
  std::string prefix = {};                // what every output begins with
  std::vector<std::string> phrases = {};  // what every output must say
  /// Any other setting of `heed translate --help` by its name, with `_` for `-`:
  /// {"length_norm", "none"}, {"coverage", 0.2}, {"strategy", "sample"}, {"seed", 7}.
  std::map<std::string, SettingValue> settings = {};
};

struct Request {
  std::vector<std::string> texts;
  RequestOptions options = {};
  /// Asked before every step of the search. A request that is stopped, or late, ends with an Error of
  /// kind `cancelled`.
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// One thing the model may say.
struct Output {
  std::string text;
  double score = 0;                 // what the search ranks by
  double log_probability = 0;       // of the tokens and the end
  std::vector<std::string> source;  // tokens of what it read, the end included
  std::vector<std::string> target;  // tokens of what it says, the end included where it came to one
  std::vector<std::vector<float>> weights;  // [target, source], where asked for
};

/// What the model says of one text.
struct Answer {
  std::vector<Output> outputs;        // best first, at least one; of an empty text an empty one
  std::vector<std::string> warnings;  // a source that had to be cut, …

  const Output& best() const { return outputs.front(); }
};

}  // namespace heed
