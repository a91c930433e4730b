// What a program asks a model, and what the model answers.
#pragma once

#if __cplusplus < 202002L
#error "heed needs C++20; compile with -std=c++20"
#endif

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

/// The options of one request.
struct RequestOptions {
  /// Hypotheses kept at every step; 1: greedy. Without it, what the model's file wants, else 1.
  std::optional<int64_t> beam = {};
  int64_t n_best = 1;                     // outputs returned for each source
  bool weights = false;                   // return the attention weights of each output
  bool splits = false;                    // split texts into sentences and join the outputs
  std::string prefix = {};                // the beginning of every output
  std::vector<std::string> phrases = {};  // phrases that every output must contain
  /// Any other setting that `heed translate --help` lists, by its name with `_` in place of `-`:
  /// {"length_norm", "none"}, {"coverage", 0.2}, {"strategy", "sample"}, {"seed", 7}. A setting
  /// that is also a member may be given in one of the two ways; in both it is an Error.
  std::map<std::string, SettingValue> settings = {};
};

struct Request {
  /// The bytes of each: a text in UTF-8 or, as the model reads them, what a file of a picture, a
  /// recording or numbers (.npy) holds. No file is opened, whatever these bytes say.
  std::vector<std::string> sources;
  RequestOptions options = {};
  /// Both are checked before every step of the search and while sources are decoded. A request that
  /// is stopped or that misses its deadline ends with an Error whose fault is `cancelled`.
  std::stop_token stop = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// One output of the model for a source.
struct Output {
  std::string text;
  double score = 0;                 // by which the search ranks outputs
  double log_probability = 0;       // of the tokens, including the end
  std::vector<std::string> source;  // the tokens that the model read, including the end
  std::vector<std::string> target;  // the tokens of the output, including the end if it ended
  bool ended = false;               // false: a length limit cut the output
  /// [target, source], if the request asked for them; none if the text was split and is longer than
  /// about 2000 tokens.
  std::vector<std::vector<float>> weights;
};

/// The outputs of the model for one source.
struct Answer {
  std::vector<Output> outputs;        // best first, at least one; that of an empty source is empty
  std::vector<std::string> warnings;  // for people, such as that a long text had to be cut

  const Output& best() const { return outputs.front(); }
};

}  // namespace heed
