// Memories as callers use them: shared by several query sequences, grown slot by slot, given from
// outside, with any first position; and reports that agree with the weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/config/apply.h"
#include "heed/ops/concat.h"
#include "heed/ops/gather.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/attention/rig.h"
#include "tests/support/tolerance.h"

namespace heed::test::memory_test {
namespace {

/// Every score with one head and, if it reads keys, with rotary heads that share keys in pairs.
std::vector<Arrangement> every_score() {
  std::vector<Arrangement> all;
  for (const auto& score : scores()) {
    all.push_back({.score = score.name});
    all.push_back({.score = score.name,
                   .heads = 4,
                   .groups = 2,
                   .project = true,
                   .rotary = make_part(scores(), score.name)->reads_keys()});
  }
  return all;
}

Tensor random_rows(int64_t rows, int64_t width, uint64_t number, const Place& place) {
  return Tensor::random({rows, width}, Distribution::normal, {31, 0, number}, place);
}

class Memories : public ::testing::TestWithParam<Place> {
 protected:
  const Place& place() const { return GetParam(); }
  Layout packed(const std::vector<int32_t>& lengths) const {
    return Layout::packed(lengths, place());
  }
};

TEST_P(Memories, BeamsOverOneMemoryEqualMemoriesOfTheirOwn) {
  const NoGrad no_grad;
  const std::vector<int32_t> slots = {4, 5};
  const std::vector<int32_t> rows = {2, 1, 3, 0, 2};
  const std::vector<int32_t> memory_of = {0, 1, 1, 0, 0};
  const std::vector<int32_t> first = {0, 2, 1, 0, 3};
  std::vector<Arrangement> all = every_score();
  for (const auto& focus : focuses()) {
    all.push_back({.focus = {focus.name}, .heads = 4, .groups = 2, .project = true});
  }
  for (const Arrangement& arranged : all) {
    Rig rig(arranged, place(), {1}, slots);  // for its attention and its memory rows
    const Layout queries = packed(rows);
    const Tensor query = random_rows(queries.rows(), Rig::query_width, 1, place());
    const Geometry geometry({.queries = queries,
                             .memory_lengths = slots,
                             .memory_of = memory_of,
                             .first_position = first,
                             .place = place()});
    Pass pass = Pass::serving();
    const Memory shared = rig.attention.remember(rig.memory, rig.slots);
    const Attended together =
        attend(rig.attention, {query, geometry, shared, {}, {.weights = true}}, pass);
    for (const size_t q : {0, 1, 2, 4}) {  // 3 has no row
      const std::vector<int32_t> own_slots = {slots[memory_of[q]]};
      const std::vector<int32_t> own_first = {first[q]};
      const Layout own_queries = packed({rows[q]});
      const Geometry alone({.queries = own_queries,
                            .memory_lengths = own_slots,
                            .memory_of = {},
                            .first_position = own_first,
                            .place = place()});
      const int32_t from = rig.slots.starts()[memory_of[q]];
      const Memory own =
          rig.attention.remember(slice(rig.memory, 0, from, own_slots[0]), packed(own_slots));
      const Tensor own_query = slice(query, 0, queries.starts()[q], rows[q]);
      const Attended single =
          attend(rig.attention, {own_query, alone, own, {}, {.weights = true}}, pass);
      EXPECT_TRUE(
          close(slice(together.context, 0, queries.starts()[q], rows[q]), single.context, 64))
          << arranged.name() << ", sequence " << q;
      const Tensor weights = slice(together.weights, 0, queries.starts()[q], rows[q]);
      EXPECT_TRUE(close(slice(weights, 2, 0, own_slots[0]), single.weights, 64))
          << arranged.name() << ", sequence " << q;
    }
  }
}

/// Slots in use of a memory's keys or values [M, G, S, d], one memory behind the other.
Tensor used(const Tensor& x, const std::vector<int32_t>& lengths) {
  std::vector<Tensor> parts;
  for (size_t m = 0; m < lengths.size(); ++m) {
    const Tensor one = slice(slice(x, 0, static_cast<int64_t>(m), 1), 2, 0, lengths[m]);
    parts.push_back(reshape(permute(one, {0, 2, 1, 3}), {lengths[m], x.size(1) * x.size(3)}));
  }
  return concat(parts, 0);
}

RowPositions slots_at(const std::vector<int32_t>& slot, const Place& place) {
  const auto count = static_cast<int64_t>(slot.size());
  return {Tensor::of(slot, {count}, place.with(DType::i32)),
          *std::max_element(slot.begin(), slot.end()) + 1};
}

/// `steps` rows for each of M memories that hold `before` rows already: one by one, and at once.
struct Grown {
  Grown(const Attention& attention, int64_t width, const std::vector<int32_t>& before,
        int32_t steps, const Place& place) {
    const auto count = static_cast<int64_t>(before.size());
    std::vector<Tensor> pieces;  // of each memory: what was there, then its rows
    const Layout layout = Layout::packed(before, place);
    const Tensor old = random_rows(layout.rows(), width, 1, place);
    const Tensor fresh = random_rows(count * steps, width, 2, place);  // [M, steps]
    for (int64_t m = 0; m < count; ++m) {
      pieces.push_back(slice(old, 0, layout.starts()[m], before[m]));
      pieces.push_back(slice(fresh, 0, m * steps, steps));
      lengths.push_back(before[m] + steps);
    }
    at_once = attention.remember(concat(pieces, 0), Layout::packed(lengths, place));
    if (layout.rows() > 0) {
      one_by_one = attention.remember(old, layout);
    }
    for (int32_t t = 0; t < steps; ++t) {
      std::vector<int32_t> next = before;
      std::for_each(next.begin(), next.end(), [t](int32_t& slot) { slot += t; });
      attention.remember_more(one_by_one, slice(fresh, 0, t, count, steps), slots_at(next, place),
                              Pass::serving());
      capacities.push_back(one_by_one.capacity());
    }
  }
  Memory at_once;
  Memory one_by_one;
  std::vector<int32_t> lengths;
  std::vector<int64_t> capacities;
};

TEST_P(Memories, GrowingSlotBySlotIsRememberingAll) {
  const NoGrad no_grad;
  const std::vector<std::vector<int32_t>> beginnings = {{0, 0}, {3, 0, 5}};
  for (const Arrangement& arranged : every_score()) {
    for (const std::vector<int32_t>& before : beginnings) {
      const Rig rig(arranged, place(), {1}, {1});
      const int32_t steps = 6;
      const Grown grown(rig.attention, rig.memory.size(1), before, steps, place());
      const std::vector<int32_t>& lengths = grown.lengths;
      EXPECT_TRUE(
          close(used(grown.one_by_one.keys, lengths), used(grown.at_once.keys, lengths), 64))
          << arranged.name();
      EXPECT_TRUE(
          close(used(grown.one_by_one.values, lengths), used(grown.at_once.values, lengths), 64))
          << arranged.name();
      const std::vector<int32_t> two(before.size(), 2);
      const Layout queries = packed(two);
      const Geometry geometry({.queries = queries, .memory_lengths = lengths, .place = place()});
      const Tensor query = random_rows(queries.rows(), Rig::query_width, 3, place());
      Pass pass = Pass::serving();
      const Tensor grew =
          attend(rig.attention, {query, geometry, grown.one_by_one, {}, {}}, pass).context;
      const Tensor whole =
          attend(rig.attention, {query, geometry, grown.at_once, {}, {}}, pass).context;
      EXPECT_TRUE(close(grew, whole, 64)) << arranged.name();
    }
  }
}

TEST_P(Memories, RoomDoublesAndWhatWasThereStays) {
  const NoGrad no_grad;
  const Rig rig({.score = "additive"}, place(), {1}, {1});
  const Grown grown(rig.attention, Rig::query_width, {0, 0}, 33, place());
  for (size_t t = 0; t < grown.capacities.size(); ++t) {
    EXPECT_EQ(grown.capacities[t], t < 16 ? 16 : t < 32 ? 32 : 64) << "after row " << t;
  }
  EXPECT_TRUE(close(used(grown.one_by_one.keys, {33, 33}), used(grown.at_once.keys, {33, 33}), 64));
  EXPECT_TRUE(
      same_bits(used(grown.one_by_one.values, {33, 33}), used(grown.at_once.values, {33, 33})));
}

TEST_P(Memories, GrowingACopyLeavesTheOriginalAlone) {
  const NoGrad no_grad;
  const Rig rig({.score = "scaled_dot"}, place(), {1}, {1});
  const std::vector<int32_t> lengths = {2, 3};
  const Layout layout = packed(lengths);
  const Tensor rows = random_rows(5, Rig::query_width, 1, place());
  const std::vector<double> before = rows.values();
  Memory memory = rig.attention.remember(rows, layout);
  rig.attention.remember_more(memory, random_rows(2, Rig::query_width, 2, place()),
                              slots_at(lengths, place()), Pass::serving());
  EXPECT_EQ(rows.values(), before);
  EXPECT_EQ(memory.capacity(), 6);
}

TEST_P(Memories, KeysAndValuesMayComeFromOutside) {
  const RanOn guard(place());
  Attention attention;
  attention.choose_score("dot");
  Init init(place(), 1);
  attention.build({.query = 3, .memory = 3, .out = 0, .value = 2}, init);
  const std::vector<int32_t> slots = {3, 2};
  const std::vector<int32_t> rows = {1, 2};
  const Tensor keys = random_rows(5, 3, 1, place());
  const Tensor values = random_rows(5, 2, 2, place());
  const Tensor query = random_rows(3, 3, 3, place());
  const Layout layout = packed(slots);
  const Layout queries = packed(rows);
  const Geometry geometry({.queries = queries, .memory_lengths = slots, .place = place()});
  Pass pass = Pass::serving();
  const Memory memory = attention.remember({keys, values, layout});
  const Tensor context = attend(attention, {query, geometry, memory, {}, {}}, pass).context;
  EXPECT_EQ(attention.width(), 2);
  const auto q = query.values();
  const auto k = keys.values();
  const auto v = values.values();
  std::vector<double> expected;
  for (int64_t row = 0; row < 3; ++row) {
    const int64_t begin = row == 0 ? 0 : 3;
    const int64_t end = row == 0 ? 3 : 5;
    double total = 0;
    double c[2] = {0, 0};
    for (int64_t j = begin; j < end; ++j) {
      const double e =
          q[row * 3] * k[j * 3] + q[row * 3 + 1] * k[j * 3 + 1] + q[row * 3 + 2] * k[j * 3 + 2];
      total += std::exp(e);
      c[0] += std::exp(e) * v[j * 2];
      c[1] += std::exp(e) * v[j * 2 + 1];
    }
    expected.push_back(c[0] / total);
    expected.push_back(c[1] / total);
  }
  EXPECT_TRUE(close(context, expected, 64));
}

/// Focuses that depend on a row's position, with windows of one slot.
std::vector<Json> placed_focuses() {
  std::vector<Json> all;
  for (const std::string text :
       {R"("causal")", R"("strictly_causal")", R"({"kind": "window", "left": 1, "right": 2})",
        R"({"kind": "local_m", "D": 1})", R"({"kind": "prior", "shape": "alibi"})",
        R"({"kind": "prior", "shape": "diagonal", "width": 1})",
        R"({"kind": "prior", "shape": "relative"})"}) {
    all.push_back(parse_json("{\"focus\": [" + text + "]}", "test"));
  }
  return all;
}

TEST_P(Memories, RowsMayBeginAnywhere) {
  const NoGrad no_grad;
  const std::vector<int32_t> slots = {7};
  const Layout layout = packed(slots);
  const Tensor memory = random_rows(7, 8, 1, place());
  const Tensor query = random_rows(6, 8, 2, place());
  for (const bool turns : {false, true}) {
    for (const Json& focus : placed_focuses()) {
      Attention attention;
      apply(attention, focus);
      attention.choose_score("scaled_dot");
      attention.choose_rotary(turns);
      Init init(place(), 1);
      attention.build({8, 8}, init);
      Pass pass = Pass::serving();
      const Memory kept = attention.remember(memory, layout);
      const auto look = [&](int32_t first, int32_t count) {
        const std::vector<int32_t> rows = {count};
        const std::vector<int32_t> begin = {first};
        const Layout queries = packed(rows);
        const Geometry geometry({.queries = queries,
                                 .memory_lengths = slots,
                                 .memory_of = {},
                                 .first_position = begin,
                                 .place = place()});
        const Tensor some = slice(query, 0, first, count);
        return attend(attention, {some, geometry, kept, {}, {.weights = true}}, pass);
      };
      const Attended all = look(0, 6);
      const Attended late = look(2, 3);
      EXPECT_TRUE(close(late.context, slice(all.context, 0, 2, 3), 64)) << focus.write();
      EXPECT_TRUE(close(late.weights, slice(all.weights, 0, 2, 3), 64)) << focus.write();
    }
  }
}

/// The past that comes back is each sequence's last row, however long the others are.
TEST_P(Memories, ThePastIsEachSequencesLastRow) {
  const NoGrad no_grad;
  const Rig rig({.score = "location_aware", .heads = 2, .project = true}, place(), {3, 1, 4},
                {4, 3, 5});
  const Attended seen = rig.look({.weights = true});
  std::vector<Tensor> last;
  for (const int64_t row : {2, 3, 7}) {
    last.push_back(slice(seen.weights, 0, row, 1));
  }
  EXPECT_TRUE(same_bits(seen.past, concat(last, 0)));
}

/// Rows of two kinds of walk, and a part that samples.
std::vector<Arrangement> reporting() {
  std::vector<Arrangement> all;
  for (const std::string score : {"scaled_dot", "location_aware"}) {
    for (const std::string normaliser : {"softmax", "sparsemax", "hard"}) {
      all.push_back(
          {.score = score, .normaliser = normaliser, .heads = 4, .groups = 2, .project = true});
    }
  }
  return all;
}

TEST_P(Memories, ReportsSayWhatTheWeightsSay) {
  const NoGrad no_grad;
  for (const Arrangement& arranged : reporting()) {
    const Rig rig(arranged, place());
    const Attended seen =
        rig.look({.weights = true, .heads = {}, .argmax = true, .topk = 3, .entropy = true});
    const auto weights = seen.weights.values();
    const auto best = seen.argmax.values<int32_t>();
    const auto values = seen.topk_values.values();
    const auto slots = seen.topk_slots.values<int32_t>();
    const auto entropy = seen.entropy.values();
    const auto width = static_cast<size_t>(seen.weights.size(2));
    ASSERT_EQ(best.size() * width, weights.size());
    for (size_t row = 0; row < best.size(); ++row) {
      const std::vector<double> w(weights.begin() + static_cast<std::ptrdiff_t>(row * width),
                                  weights.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
      EXPECT_EQ(best[row], std::max_element(w.begin(), w.end()) - w.begin()) << arranged.name();
      std::vector<size_t> order(width);
      for (size_t j = 0; j < width; ++j) {
        order[j] = j;
      }
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return w[a] > w[b]; });
      double expected = 0;
      for (const double p : w) {
        expected -= p > 0 ? p * std::log(p) : 0;
      }
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(slots[row * 3 + k], static_cast<int32_t>(order[k])) << arranged.name();
        EXPECT_EQ(values[row * 3 + k], w[order[k]]) << arranged.name();
      }
      if (arranged.normaliser != "hard") {  // whose entropy is that of what it samples
        EXPECT_NEAR(entropy[row], expected, 1e-5) << arranged.name();
      }
    }
  }
}

TEST_P(Memories, TheEntropyOfASampleIsThatOfItsDistribution) {
  const NoGrad no_grad;
  Arrangement soft{.heads = 2, .project = true};
  Arrangement hard = soft;
  hard.normaliser = "hard";
  const Report report{.weights = true, .heads = {}, .argmax = false, .topk = 0, .entropy = true};
  const Attended sampled = Rig(hard, place()).look(report);
  const Attended spread = Rig(soft, place()).look(report);
  EXPECT_TRUE(close(sampled.entropy, spread.entropy, 64));
  // log p of the slot that was chosen, 0 where there was none to choose.
  const auto hot = sampled.weights.values();
  const auto p = spread.weights.values();
  const auto log_p = sampled.log_probability.values();
  const size_t slots = hot.size() / log_p.size();
  for (size_t row = 0; row < log_p.size(); ++row) {
    double expected = 0;
    for (size_t j = 0; j < slots; ++j) {
      expected += hot[row * slots + j] == 1 ? std::log(p[row * slots + j]) : 0;
    }
    EXPECT_NEAR(log_p[row], expected, 1e-5);
  }
}

TEST_P(Memories, AReportMayChooseHeads) {
  const NoGrad no_grad;
  for (const Arrangement& arranged : reporting()) {
    const Rig rig(arranged, place());
    const Attended all =
        rig.look({.weights = true, .heads = {}, .argmax = true, .topk = 2, .entropy = true});
    const Attended two =
        rig.look({.weights = true, .heads = {3, 1}, .argmax = true, .topk = 2, .entropy = true});
    const auto chosen = [](const Tensor& x) {
      return concat({slice(x, 1, 3, 1), slice(x, 1, 1, 1)}, 1);
    };
    EXPECT_TRUE(same_bits(two.context, all.context)) << arranged.name();
    EXPECT_TRUE(same_bits(two.weights, chosen(all.weights))) << arranged.name();
    EXPECT_TRUE(same_bits(two.argmax, chosen(all.argmax))) << arranged.name();
    EXPECT_TRUE(same_bits(two.topk_values, chosen(all.topk_values))) << arranged.name();
    EXPECT_TRUE(same_bits(two.topk_slots, chosen(all.topk_slots))) << arranged.name();
    EXPECT_TRUE(same_bits(two.entropy, chosen(all.entropy))) << arranged.name();
    if (arranged.normaliser == "hard") {
      EXPECT_TRUE(same_bits(two.log_probability, chosen(all.log_probability))) << arranged.name();
    }
    for (const Report& asked :
         {Report{.weights = true, .heads = {4}}, Report{.heads = {0, 7}, .argmax = true},
          Report{.heads = {-5}, .entropy = true}}) {
      EXPECT_THROW(rig.look(asked), Error) << arranged.name();
    }
  }
}

TEST_P(Memories, MoreThanThereIsIsAllThereIs) {
  const NoGrad no_grad;
  const Rig rig({}, place());
  const Attended seen = rig.look({.weights = true, .heads = {}, .argmax = false, .topk = 99});
  EXPECT_EQ(seen.topk_values.size(2), seen.weights.size(2));
}

INSTANTIATE_TEST_SUITE_P(Places, Memories, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::memory_test
