// What a stream of events says of a search while it goes on.
//
//   step    the leading hypothesis and its new token: log p, rivals, where it looked (8 bits each, base64)
//   beam    what became of every hypothesis: nodes of a tree
//   stable  how many first tokens all hypotheses of a beam share, the ended ones among them: these stay
//
// What all share is the lowest common ancestor of their nodes in the tree.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "heed/api/request_watcher.h"
#include "heed/base/json.h"

namespace heed {

class StepEvents {
 public:
  /// The text of tokens, as far as they say it.
  using TextOf = std::function<std::string(const std::vector<int32_t>& tokens)>;
  explicit StepEvents(TextOf text_of) : text_of_(std::move(text_of)) {}

  /// The events of one step, as they are sent.
  std::string told(const AnswerStep& step);
  /// The same for a step of which nothing is sent.
  void follow(const AnswerStep& step) { grow(step); }

 private:
  struct Node {
    int32_t parent = 0;
    int32_t token = 0;
    int64_t depth = 0;
  };
  struct Beam {
    std::unordered_map<int32_t, Node> tree = {{0, Node()}};  // node 0 is the empty output
    std::optional<int32_t> ended;  // what all hypotheses share that are not continued
    int64_t stable = 0;            // tokens
  };
  /// What a step made of its beam.
  struct Grown {
    Beam* beam = nullptr;
    const Continuation* leading = nullptr;  // null: none is continued
    bool is_stabler = false;
  };
  Grown grow(const AnswerStep& step);
  static int32_t shared(const Beam& beam, std::optional<int32_t> a, int32_t b);
  static std::vector<int32_t> tokens_of(const Beam& beam, int32_t node);
  Json written_step(const AnswerStep& step, const Continuation& leading, const Beam& beam) const;

  TextOf text_of_;
  std::map<std::tuple<size_t, size_t, size_t>, Beam> beams_;  // by source, part and beam
};

/// Bytes as text (RFC 4648, section 4).
std::string in_base64(const std::vector<unsigned char>& bytes);

}  // namespace heed
