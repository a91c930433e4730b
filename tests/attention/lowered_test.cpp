// The descriptions that parts lower themselves to are what they compute: weights, scores and ranges
// are worked out here from the descriptions, and from the papers' definitions, by naive loops in
// double.
#include "heed/attention/lowered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/ops/reduce.h"
#include "heed/ops/slice.h"
#include "tests/attention/entmax_by_bisection.h"
#include "tests/attention/rig.h"
#include "tests/support/choices_differ.h"
#include "tests/support/tolerance.h"

namespace heed::test::lowered_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Row = std::vector<double>;

Row softmax_of(const Row& e) {
  const double peak = *std::max_element(e.begin(), e.end());
  Row p(e.size(), 0);
  if (peak == -infinity) {
    return p;
  }
  double total = 0;
  for (const double each : e) {
    total += std::exp(each - peak);
  }
  for (size_t j = 0; j < e.size(); ++j) {
    p[j] = std::exp(e[j] - peak) / total;
  }
  return p;
}

/// The weights of a description for one row e with n slots after lengths and causality.
struct NaiveWeights {
  const Row& e;
  double n;

  Row operator()(const Streaming& how) const {
    if (how.kind == Streaming::Kind::exp) {
      EXPECT_EQ(how.divide, Streaming::Divide::sum) << "alone, e^e overflows";
      return softmax_of(e);
    }
    const double shift = how.bias - (how.subtract_log_count ? std::log(std::max(n, 1.0)) : 0);
    Row w;
    double total = 0;
    for (const double each : e) {
      const double x = each + shift;
      w.push_back(how.kind == Streaming::Kind::relu ? std::max(x, 0.0) : 1 / (1 + std::exp(-x)));
      total += w.back();
    }
    const double by = how.divide == Streaming::Divide::sum     ? total
                      : how.divide == Streaming::Divide::count ? n
                                                               : 1;
    for (double& each : w) {
      each = by > 0 ? each / by : 0;
    }
    return w;
  }

  Row operator()(const Threshold& how) const {
    return how.k > 0 ? largest(how.k) : entmax(how.alpha);
  }

 private:
  Row largest(int64_t k) const {
    std::vector<size_t> order(e.size());
    for (size_t j = 0; j < order.size(); ++j) {
      order[j] = j;
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return e[a] > e[b]; });
    Row kept(e.size(), -infinity);
    for (size_t i = 0; i < std::min(order.size(), static_cast<size_t>(k)); ++i) {
      kept[order[i]] = e[order[i]];
    }
    return softmax_of(kept);
  }
  /// p_j = max(0, (α − 1) e_j − τ)^{1/(α−1)}, τ by bisection on Σ p = 1.
  Row entmax(double alpha) const { return entmax_by_bisection(e, alpha); }
};

/// Rows with closed slots, ties, one slot, none; the last are random. n may differ from the number
/// of open slots, because windows come after it.
struct Scores {
  std::vector<Row> rows = {{1, 0, -1, -infinity, -infinity, -infinity},
                           {0.5, 0.5, 0.5, 0.5, 0.5, -infinity},
                           {-infinity, 2, -infinity, 2, 1.75, 2},
                           {-infinity, -infinity, -3, -infinity, -infinity, -infinity},
                           {-infinity, -infinity, -infinity, -infinity, -infinity, -infinity},
                           {-1, -2, -3, -0.5, -4, -5},
                           {30, -30, 29.5, 0, 28, 29.5}};
  Row n = {3, 6, 6, 4, 0, 6, 6};

  Scores() {
    const Place exact{&forced("reference"), DType::f64};
    const Row random = Tensor::random({20, 6}, Distribution::normal, {3, 0, 0}, exact).values();
    for (size_t r = 0; r < 20; ++r) {
      Row& row = rows.emplace_back();
      for (size_t j = 0; j < 6; ++j) {
        row.push_back(std::round(random[r * 6 + j] * 256) / 256);  // the same in every element type
      }
      n.push_back(6);
    }
  }
  Tensor tensor(const Place& place) const {
    Row all;
    for (const Row& row : rows) {
      all.insert(all.end(), row.begin(), row.end());
    }
    return Tensor::of(all, {1, 1, 1, static_cast<int64_t>(rows.size()), 6}, place);
  }
  Tensor count(const Place& place) const {
    return Tensor::of(n, {1, 1, 1, static_cast<int64_t>(n.size()), 1}, place);
  }
};

/// A part with its defaults, and again for every other value of its settings.
template <class Part>
std::vector<std::unique_ptr<Part>> variants(const Catalogue<Part>& catalogue,
                                            const std::string& name) {
  std::vector<std::unique_ptr<Part>> all;
  all.push_back(make_part(catalogue, name));
  for (const Knob& knob : knobs_of([&] { return make_part(catalogue, name); })) {
    for (const Json& other : knob.others) {
      all.push_back(make_part(catalogue, name));
      apply(*all.back(), just(config_of(*all.back()), knob.keys, other));
    }
  }
  return all;
}

class Lowered : public ::testing::TestWithParam<Place> {};

TEST_P(Lowered, NormalisersDoWhatTheirDescriptionSays) {
  const Scores scores;
  const RanOn guard(GetParam());
  int lowered = 0;
  for (const auto& entry : normalisers()) {
    for (const auto& part : variants(normalisers(), entry.name)) {
      const auto how = part->lower();
      if (!how) {
        continue;
      }
      ++lowered;
      Pass pass = Pass::serving();
      const Tensor given = scores.tensor(GetParam());
      const Row got = (*part)(given, scores.count(GetParam()), pass).weights.values();
      for (size_t r = 0; r < scores.rows.size(); ++r) {
        const Row expected = std::visit(NaiveWeights{scores.rows[r], scores.n[r]}, *how);
        EXPECT_TRUE(
            close(std::span(got).subspan(r * 6, 6), expected, tolerance(GetParam().dtype, 64)))
            << config_of(*part).write() << " of " << entry.name << ", row " << r;
      }
    }
  }
  EXPECT_GE(lowered, 10);
}

double activated(Activation f, double x) {
  switch (f) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    default:
      return std::tanh(x);
  }
}

/// e_ij of one head from rows q_i, k_j (and v), all of width A.
struct NaiveScore {
  const double* q;
  const double* k;
  const double* v;
  int64_t width;

  double dot(double scale) const {
    double e = 0;
    for (int64_t a = 0; a < width; ++a) {
      e += q[a] * k[a];
    }
    return scale * e;
  }
  double additive(Activation f) const {
    double e = 0;
    for (int64_t a = 0; a < width; ++a) {
      e += v[a] * activated(f, q[a] + k[a]);
    }
    return e;
  }
};

/// e [M, G, P, R, S] as the description says.
Row naive_scores(const LoweredScore& how) {
  const bool is_dot = std::holds_alternative<Dot>(how);
  const Tensor& query = is_dot ? std::get<Dot>(how).query : std::get<Additive>(how).query;
  const Tensor& keys = is_dot ? std::get<Dot>(how).keys : std::get<Additive>(how).keys;
  const Row q = query.values();
  const Row k = keys.values();
  const Row v = is_dot ? Row() : std::get<Additive>(how).v.values();
  const int64_t heads = query.size(2);
  const int64_t rows = query.size(3);
  const int64_t width = query.size(4);
  const int64_t slots = keys.size(2);
  Row e;
  for (int64_t mg = 0; mg < query.size(0) * query.size(1); ++mg) {
    for (int64_t pr = 0; pr < heads * rows; ++pr) {
      const int64_t head = mg % query.size(1) * heads + pr / rows;
      for (int64_t j = 0; j < slots; ++j) {
        const NaiveScore at{&q[(mg * heads * rows + pr) * width], &k[(mg * slots + j) * width],
                            v.data() + (is_dot ? 0 : head * width), width};
        e.push_back(is_dot ? at.dot(std::get<Dot>(how).scale)
                           : at.additive(std::get<Additive>(how).activation));
      }
    }
  }
  return e;
}

TEST_P(Lowered, ScoresDoWhatTheirDescriptionSays) {
  const RanOn guard(GetParam());
  const Tensor query = Tensor::random({2, 2, 3, 4, 6}, Distribution::normal, {1, 0, 0}, GetParam());
  const Tensor keys = Tensor::random({2, 2, 5, 6}, Distribution::normal, {2, 0, 0}, GetParam());
  int lowered = 0;
  for (const auto& entry : scores()) {
    for (const auto& part : variants(scores(), entry.name)) {
      Init init(GetParam(), 4);
      part->build({.query = 6, .key = 6, .groups = 2, .heads_per_group = 3}, init);
      move_parameters(*part);
      const Tensor prepared = part->prepare(keys);
      const Tensor asked = part->prepare_query(query, nullptr);
      const auto how = part->lower(asked, prepared);
      if (!how) {
        continue;
      }
      ++lowered;
      const Tensor e = (*part)(asked, prepared, {});
      EXPECT_EQ(e.shape(), Shape({2, 2, 3, 4, 5}));
      EXPECT_TRUE(close(e, naive_scores(*how), 64)) << config_of(*part).write() << entry.name;
    }
  }
  EXPECT_GE(lowered, 9);
}

TEST_P(Lowered, PreparingSlotBySlotIsPreparingAll) {
  const Tensor keys = Tensor::random({2, 2, 5, 6}, Distribution::normal, {2, 0, 0}, GetParam());
  for (const auto& entry : scores()) {
    const auto part = make_part(scores(), entry.name);
    Init init(GetParam(), 4);
    part->build({.query = 6, .key = 6, .groups = 2, .heads_per_group = 3}, init);
    const Tensor whole = part->prepare(keys);
    for (int64_t j = 0; j < 5; ++j) {
      EXPECT_TRUE(close(part->prepare(slice(keys, 2, j, 1)), slice(whole, 2, j, 1), 16))
          << entry.name;
    }
  }
}

// tanh saturates and sums cancel: what a kernel that splits e^{2(q + k)} into factors gets wrong.
// All numbers and their sums are exact in f32.
TEST_P(Lowered, AdditiveIsTheDoubleFormulaWhereTanhSaturatesOrSumsCancel) {
  const RanOn guard(GetParam());
  const Row q = {60, -60, 1e4, -1e4, 50, -50, 9999.5, 0.25};
  const Row k = {0, -60, 60, 1e4, -1e4, -45, 45, -50, 50, -59.5, -10000, 0.5};
  const auto rows = static_cast<int64_t>(q.size());
  const auto slots = static_cast<int64_t>(k.size());
  const Place place = GetParam();
  for (const Activation f :
       {Activation::tanh, Activation::relu, Activation::sigmoid, Activation::gelu}) {
    Tensor query = Tensor::of(q, {1, 1, 1, rows, 1}, place);
    Tensor keys = Tensor::of(k, {1, 1, slots, 1}, place);
    query.watch();
    keys.watch();
    const Tensor v = Tensor::full({1, 1, 1}, 1, place);
    const Tensor e = evaluate(Additive{query, keys, v, f});
    Row expected;
    for (const double a : q) {
      for (const double b : k) {
        expected.push_back(activated(f, a + b));
      }
    }
    EXPECT_TRUE(close(e, expected, 16)) << static_cast<int>(f);
    if (f != Activation::tanh) {
      continue;
    }
    sum(e).backward();
    Row d_query;
    for (const double a : q) {
      double gradient = 0;
      for (const double b : k) {
        const double y = std::tanh(a + b);
        gradient += 1 - y * y;
      }
      d_query.push_back(gradient);
    }
    EXPECT_TRUE(close(query.gradient(), d_query, 64));
    for (const double each : keys.gradient().values()) {
      EXPECT_TRUE(std::isfinite(each));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Lowered, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::lowered_test
