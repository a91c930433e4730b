// What a program may hear while a request is searched: the beam as it grows.
//
// After every step the watcher hears of each beam which hypotheses were continued and what became of
// their continuations. Hypotheses are nodes of a tree: node 0 is the empty output, and every node that is
// kept or cut has its parent and one more token. Being watched changes no bit of the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heed {

/// The attention weights of a decoder block and one of its heads; −1: the mean of all.
struct AttentionChoice {
  int64_t block = -1;
  int64_t head = -1;
};

/// A token that might come next.
struct Rival {
  int32_t token = 0;
  std::string text;  // as in Output::target
  double log_probability = 0;
};

/// A hypothesis that the step continued.
struct Continued {
  int32_t node = 0;
  double log_probability = 0;
  std::vector<Rival> rivals;  // the likeliest next tokens, as many as were asked for
  /// Rows of weights, one for each that was asked for; empty where there is no such block or head.
  std::vector<std::vector<float>> source;
  std::vector<std::vector<float>> self;
};

/// A hypothesis and one more token.
struct Continuation {
  enum class Fate {
    kept,      // it is continued by the next step
    finished,  // the token is the end
    cut,       // at the length limit
    pruned     // others are better
  };
  int32_t parent = 0;
  int32_t node = -1;  // its own; −1 if it is finished or pruned
  int32_t token = 0;
  std::string text;
  Fate fate = Fate::pruned;
  double log_probability = 0;  // of the whole
  double score = 0;            // by which outputs are ranked, if it is finished or cut
};

/// A step of one beam.
struct AnswerStep {
  size_t source = 0;  // among those of the request
  size_t part = 0;    // of a source that is searched in parts
  size_t beam = 0;    // where a source is searched with several: samples, groups
  int64_t words = 0;  // of each hypothesis, before this step
  std::vector<Continued> from;
  std::vector<Continuation> continuations;  // in the order of the search's choice
};

/// What a program wants to hear of a request. Its functions are called on the engine's own thread, so they
/// should return soon, and may call everything but what waits for an answer of the same engine.
struct RequestWatcher {
  int64_t rivals = 0;                        // how many are heard of every hypothesis
  std::vector<AttentionChoice> source = {};  // weights over the source
  std::vector<AttentionChoice> self = {};    // weights over the tokens before
  /// Decoders that write one word after the other call it after every step. What it throws ends this
  /// request, not others, and comes out of Ticket::wait as it is.
  std::function<void(const AnswerStep& step)> on_step = {};
  /// Called once, when Ticket::wait need not wait any more, whether the request was answered or failed.
  /// Nothing is called after it.
  std::function<void()> on_done = {};
};

}  // namespace heed
