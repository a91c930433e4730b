#include "heed/serve/step_events.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/http/response.h"

namespace heed {
namespace {

/// Weights from 0 to 1 in 8 bits each.
std::string in_8_bits(const std::vector<float>& weights) {
  std::vector<unsigned char> bytes;
  for (const float weight : weights) {
    bytes.push_back(static_cast<unsigned char>(std::lround(std::clamp(weight, 0.0F, 1.0F) * 255)));
  }
  return in_base64(bytes);
}

const char* name_of(Continuation::Fate fate) {
  constexpr std::array<const char*, 4> names{"kept", "finished", "cut", "pruned"};
  return names.at(static_cast<size_t>(fate));
}

/// To five places, because a beam has many. JSON has no infinities: what a rule of search forbids has no
/// log p.
Json number_of(double value) {
  return std::isfinite(value) ? Json(std::round(value * 1e5) / 1e5) : Json();
}

void set_place(Json& object, const AnswerStep& step) {
  object.set("source", step.source).set("part", step.part).set("beam", step.beam);
  object.set("words", step.words);
}

Json written_beam(const AnswerStep& step) {
  Json nodes = Json::array();
  for (const Continuation& one : step.continuations) {
    Json node = Json::object().set("parent", one.parent).set("node", one.node);
    node.set("token", one.text).set("fate", name_of(one.fate));
    node.set("log_probability", number_of(one.log_probability));
    if (one.fate == Continuation::Fate::finished || one.fate == Continuation::Fate::cut) {
      node.set("score", number_of(one.score));
    }
    nodes.push(std::move(node));
  }
  Json object = Json::object();
  set_place(object, step);
  return object.set("nodes", std::move(nodes));
}

}  // namespace

std::string in_base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    unsigned three = 0;
    for (size_t j = 0; j < 3; ++j) {
      three = three << 8 | (j < count ? bytes[i + j] : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text.push_back(j <= count ? letters[three >> (18 - 6 * j) & 63U] : '=');
    }
  }
  return text;
}

std::vector<int32_t> StepEvents::tokens_of(const Beam& beam, int32_t node) {
  std::vector<int32_t> tokens;
  for (; node != 0; node = beam.tree.at(node).parent) {
    tokens.push_back(beam.tree.at(node).token);
  }
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

int32_t StepEvents::shared(const Beam& beam, std::optional<int32_t> a, int32_t b) {
  while (a && *a != b) {
    int32_t& deeper = beam.tree.at(*a).depth > beam.tree.at(b).depth ? *a : b;
    deeper = beam.tree.at(deeper).parent;
  }
  return b;
}

StepEvents::Grown StepEvents::grow(const AnswerStep& step) {
  Beam& beam = beams_[{step.source, step.part, step.beam}];
  Grown grown{.beam = &beam};
  std::optional<int32_t> live;
  for (const Continuation& one : step.continuations) {
    if (one.node >= 0) {
      beam.tree[one.node] = {one.parent, one.token, beam.tree.at(one.parent).depth + 1};
    }
    if (one.fate == Continuation::Fate::kept) {
      live = shared(beam, live, one.node);
      grown.leading = grown.leading == nullptr ? &one : grown.leading;
    } else if (one.fate != Continuation::Fate::pruned) {
      beam.ended = shared(beam, beam.ended, one.node >= 0 ? one.node : one.parent);
    }
  }
  const std::optional<int32_t> all = live && beam.ended ? shared(beam, live, *beam.ended)
                                     : live             ? live
                                                        : beam.ended;
  const int64_t depth = all ? beam.tree.at(*all).depth : 0;
  grown.is_stabler = depth > beam.stable;
  beam.stable = std::max(beam.stable, depth);
  return grown;
}

std::string StepEvents::told(const AnswerStep& step) {
  const Grown grown = grow(step);
  std::string events;
  if (grown.leading != nullptr) {
    events += written_event("step", written_step(step, *grown.leading, *grown.beam).write());
  }
  if (step.continuations.size() > 1) {
    events += written_event("beam", written_beam(step).write());
  }
  if (grown.is_stabler) {
    Json stable = Json::object();
    set_place(stable, step);
    events += written_event("stable", stable.set("tokens", grown.beam->stable).write());
  }
  return events;
}

Json StepEvents::written_step(const AnswerStep& step, const Continuation& leading,
                              const Beam& beam) const {
  Json object = Json::object();
  set_place(object, step);
  object.set("token", leading.text);
  object.set("node", leading.node);
  object.set("text", text_of_(tokens_of(beam, leading.node)));
  const auto from = std::find_if(step.from.begin(), step.from.end(),
                                 [&](const Continued& one) { return one.node == leading.parent; });
  if (from == step.from.end()) {
    return object;
  }
  object.set("log_probability", number_of(leading.log_probability - from->log_probability));
  if (!from->rivals.empty()) {
    Json rivals = Json::array();
    for (const Rival& one : from->rivals) {
      rivals.push(Json::array().push(one.text).push(number_of(one.log_probability)));
    }
    object.set("rivals", std::move(rivals));
  }
  if (!from->source.empty()) {
    object.set("weights", in_8_bits(from->source.front()));
  }
  return object;
}

}  // namespace heed
