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

void set_place(Json& object, const AnswerStep& step) {
  object.set("source", step.source).set("part", step.part).set("beam", step.beam);
  object.set("words", step.words);
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
  for (auto at = beam.tree.find(node); at != beam.tree.end();
       at = beam.tree.find(at->second.parent)) {
    tokens.push_back(at->second.token);
  }
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

size_t StepEvents::shared_tokens(const Beam& beam, const std::vector<std::vector<int32_t>>& live) {
  const std::vector<int32_t>& first = live.empty() ? beam.ended.front() : live.front();
  size_t shared = first.size();
  for (const auto* const all : {&live, &beam.ended}) {
    for (const std::vector<int32_t>& one : *all) {
      const auto differs = std::mismatch(first.begin(), first.end(), one.begin(), one.end()).first;
      shared = std::min(shared, static_cast<size_t>(differs - first.begin()));
    }
  }
  return shared;
}

std::string StepEvents::told(const AnswerStep& step) {
  Beam& beam = beams_[{step.source, step.part, step.beam}];
  std::vector<std::vector<int32_t>> live;
  const Continuation* leading = nullptr;
  for (const Continuation& one : step.continuations) {
    if (one.node >= 0) {
      beam.tree[one.node] = {one.parent, one.token};
    }
    if (one.fate == Continuation::Fate::kept) {
      live.push_back(tokens_of(beam, one.node));
      leading = leading == nullptr ? &one : leading;
    } else if (one.fate != Continuation::Fate::pruned) {
      beam.ended.push_back(tokens_of(beam, one.node >= 0 ? one.node : one.parent));
    }
  }
  std::string events;
  if (leading != nullptr) {
    events += written_event("step", written_step(step, *leading, beam).write());
  }
  if (step.continuations.size() > 1) {
    events += written_event("beam", written_beam(step).write());
  }
  const size_t shared = live.empty() && beam.ended.empty() ? 0 : shared_tokens(beam, live);
  if (shared > beam.stable) {
    beam.stable = shared;
    Json stable = Json::object();
    set_place(stable, step);
    stable.set("tokens", shared);
    events += written_event("stable", stable.write());
  }
  return events;
}

Json StepEvents::written_step(const AnswerStep& step, const Continuation& leading,
                              const Beam& beam) const {
  Json object = Json::object();
  set_place(object, step);
  object.set("token", leading.text);
  object.set("text", model_.text_of(tokens_of(beam, leading.node)));
  const auto from = std::find_if(step.from.begin(), step.from.end(),
                                 [&](const Continued& one) { return one.node == leading.parent; });
  if (from == step.from.end()) {
    return object;
  }
  object.set("log_probability", leading.log_probability - from->log_probability);
  if (!from->rivals.empty()) {
    Json rivals = Json::array();
    for (const Rival& one : from->rivals) {
      rivals.push(Json::array().push(one.text).push(one.log_probability));
    }
    object.set("rivals", std::move(rivals));
  }
  if (!from->source.empty()) {
    object.set("weights", in_8_bits(from->source.front()));
  }
  return object;
}

Json StepEvents::written_beam(const AnswerStep& step) {
  Json nodes = Json::array();
  for (const Continuation& one : step.continuations) {
    Json node = Json::object().set("parent", one.parent).set("node", one.node);
    node.set("token", one.text).set("fate", name_of(one.fate));
    node.set("log_probability", one.log_probability);
    if (one.fate == Continuation::Fate::finished || one.fate == Continuation::Fate::cut) {
      node.set("score", one.score);
    }
    nodes.push(std::move(node));
  }
  Json object = Json::object();
  set_place(object, step);
  return object.set("nodes", std::move(nodes));
}

}  // namespace heed
