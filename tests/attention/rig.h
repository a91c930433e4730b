// A small case of attention that every test of this layer shares: three sequences over memories of
// 4, 0 and 5 slots.
#pragma once

#include <string>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "tests/support/backends.h"
#include "tests/support/set_everywhere.h"

namespace heed::test {

struct Arrangement {
  std::string score = "scaled_dot";
  std::string normaliser = "softmax";
  std::vector<std::string> focus = {"everywhere"};
  int64_t heads = 1;
  int64_t groups = 0;
  bool project = false;
  bool rotary = false;
  int64_t head_width = 0;

  std::string name() const {
    std::string text = score + "_" + normaliser;
    for (const std::string& part : focus) {
      text += "_" + part;
    }
    return text + "_" + std::to_string(heads) + "h" + std::to_string(groups) + "g" +
           (rotary ? "r" : "") + (head_width > 0 ? std::to_string(head_width) + "w" : "");
  }
};

/// Biases and the like are 0 at first; other values make them matter.
inline void move_parameters(Module& module) {
  for (const NamedParameter& parameter : parameters_of(module)) {
    const View in[] = {parameter.tensor->view()};
    parameter.tensor->backend().map(function<fn::Affine>, parameter.tensor->view(), in,
                                    {1.0, 0.05});
  }
}

inline std::vector<int32_t> query_lengths() { return {3, 2, 4}; }
inline std::vector<int32_t> memory_lengths() { return {4, 0, 5}; }

struct Rig {
  static constexpr int64_t query_width = 16;

  explicit Rig(const Arrangement& arranged, const Place& place_,
               std::vector<int32_t> queries_ = query_lengths(),
               std::vector<int32_t> memory_ = memory_lengths())
      : place(place_),
        queries(Layout::packed(queries_, place)),
        slots(Layout::packed(memory_, place)),
        geometry({.queries = queries, .memory_lengths = memory_, .place = place}) {
    attention.choose_score(arranged.score);
    attention.choose_normaliser(arranged.normaliser);
    attention.choose_focus({});
    for (const std::string& part : arranged.focus) {
      attention.add_focus(make_part(focuses(), part));
    }
    attention.choose_heads(arranged.heads, arranged.groups, arranged.project);
    attention.choose_rotary(arranged.rotary);
    attention.choose_head_width(arranged.head_width);
    // Windows small enough to matter on so few slots.
    set_everywhere(attention, {{"left", 1}, {"right", 1}, {"D", 1}, {"k", 2}});
    const int64_t memory_width = arranged.project ? 12 : query_width;
    Init init(place, 11);
    attention.build({query_width, memory_width, 0}, init);
    move_parameters(attention);
    query = Tensor::random({queries.rows(), query_width}, Distribution::normal, {5, 0, 1}, place);
    memory = Tensor::random({slots.rows(), memory_width}, Distribution::normal, {5, 0, 2}, place);
    query.watch();
    memory.watch();
  }

  Attended look(Pass& pass, const Report& report = {}) const {
    return attend(attention, {query, geometry, attention.remember(memory, slots), {}, report},
                  pass);
  }
  Attended look(const Report& report = {}) const {
    Pass pass = Pass::serving();
    return look(pass, report);
  }
  std::vector<Tensor> leaves() {
    std::vector<Tensor> all = {query, memory};
    for (const NamedParameter& parameter : parameters_of(attention)) {
      all.push_back(*parameter.tensor);
    }
    return all;
  }

  Place place;
  Layout queries;
  Layout slots;
  Geometry geometry;
  Attention attention;
  Tensor query;
  Tensor memory;
};

/// Every score × normaliser × focus × head layout that makes sense.
inline std::vector<Arrangement> every_arrangement() {
  std::vector<Arrangement> all;
  struct Heads {
    int64_t heads, groups;
    bool project, rotary;
    int64_t width = 0;
  };
  for (const auto& score : scores()) {
    for (const auto& normaliser : normalisers()) {
      std::vector<std::vector<std::string>> lists;
      for (const auto& focus : focuses()) {
        lists.push_back({focus.name});
      }
      lists.push_back({"causal", "prior"});
      lists.push_back({"window", "local_p"});
      for (const auto& list : lists) {
        for (const Heads& h : {Heads{1, 0, false, false}, Heads{2, 0, true, true},
                               Heads{4, 2, true, false, 3}, Heads{2, 1, true, false}}) {
          const bool turns_keys = h.rotary && score.name != "location";
          all.push_back({score.name, normaliser.name, list, h.heads, h.groups, h.project,
                         turns_keys, h.width});
        }
      }
    }
  }
  return all;
}

}  // namespace heed::test
