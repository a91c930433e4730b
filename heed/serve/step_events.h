// What a stream of events says of a search while it goes on.
//
//   step    the leading hypothesis and its new word: token, log p, rivals, where it looked
//   beam    what became of every hypothesis: nodes of a tree
//   stable  how many first tokens all hypotheses share, the finished ones among them: these stay
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "heed/api/loaded_model.h"
#include "heed/base/json.h"

namespace heed {

class StepEvents {
 public:
  explicit StepEvents(LoadedModel model) : model_(std::move(model)) {}

  /// The events of one step, as they are sent.
  std::string told(const AnswerStep& step);

 private:
  struct Node {
    int32_t parent = 0;
    int32_t token = 0;
  };
  struct Beam {
    std::unordered_map<int32_t, Node> tree;
    std::vector<std::vector<int32_t>> ended;  // hypotheses that are not continued
    size_t stable = 0;
  };
  static std::vector<int32_t> tokens_of(const Beam& beam, int32_t node);
  static size_t shared_tokens(const Beam& beam, const std::vector<std::vector<int32_t>>& live);
  Json written_step(const AnswerStep& step, const Continuation& leading, const Beam& beam) const;
  static Json written_beam(const AnswerStep& step);

  LoadedModel model_;
  std::map<std::tuple<size_t, size_t, size_t>, Beam> beams_;  // by source, part and beam
};

/// Bytes as text (RFC 4648, section 4).
std::string in_base64(const std::vector<unsigned char>& bytes);

}  // namespace heed
