// The fused kernels of `cpu` against the definition: `compose` on `reference` in double, over sizes
// that are 1, odd, prime and longer than a block, every normaliser, ranges, priors, Gaussians,
// dropout, gradients of reported weights; and what they promise besides: the same bits on any
// number of threads and with any report, memory that grows with rows + slots only.
#include "heed/attention/fused.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "heed/base/thread_pool.h"
#include "heed/nn/precision.h"
#include "tests/attention/entmax_by_bisection.h"
#include "tests/attention/probe.h"
#include "tests/support/set_everywhere.h"
#include "tests/support/tolerance.h"

namespace heed::test::fused_test {
namespace {

struct Sizes {
  std::vector<int32_t> rows;
  std::vector<int32_t> slots;
  int64_t query = 16;
  int64_t memory = 16;
};

struct Case {
  Sizes sizes;
  Arrangement arranged;
  double dropout = 0;

  std::string name() const {
    std::string text = arranged.name() + (dropout > 0 ? "_dropped" : "");
    for (const int32_t n : sizes.rows) {
      text += "_" + std::to_string(n);
    }
    for (const int32_t n : sizes.slots) {
      text += "×" + std::to_string(n);
    }
    return text + "_" + std::to_string(sizes.query);
  }
};

/// One call of attention on one backend, and its gradients.
class Scene {
 public:
  Scene(const Case& c, const Place& place)
      : queries_(Layout::packed(c.sizes.rows, place)),
        slots_(Layout::packed(c.sizes.slots, place)),
        geometry_({.queries = queries_, .memory_lengths = c.sizes.slots, .place = place}) {
    attention_.choose_score(c.arranged.score);
    attention_.choose_normaliser(c.arranged.normaliser);
    attention_.choose_focus({});
    for (const std::string& part : c.arranged.focus) {
      attention_.add_focus(make_part(focuses(), part));
    }
    attention_.choose_heads(c.arranged.heads, c.arranged.groups, c.arranged.project);
    // Windows wide enough to reach over a strip of rows.
    set_everywhere(attention_,
                   {{"dropout", c.dropout}, {"left", 5}, {"D", 5}, {"right", 9}, {"k", 3}});
    Init init(place, 11);
    attention_.build({c.sizes.query, c.sizes.memory, 0}, init);
    move_parameters(attention_);
    query_ =
        Tensor::random({queries_.rows(), c.sizes.query}, Distribution::normal, {5, 0, 1}, place);
    memory_ =
        Tensor::random({slots_.rows(), c.sizes.memory}, Distribution::normal, {5, 0, 2}, place);
    query_.watch();
    memory_.watch();
  }

  Attended look(const Report& report) const {
    Pass pass = Pass::training(3, 1);
    return attend(attention_, {query_, geometry_, attention_.remember(memory_, slots_), {}, report},
                  pass);
  }
  /// Products run in bf16 from now on.
  void round() {
    set_precision(attention_, Precision::bf16);
    EXPECT_EQ(attention_.precision(), Precision::bf16);
  }
  std::vector<Tensor> gradients(const Report& report) {
    probe(look(report), false).backward();
    std::vector<Tensor> all;
    for (Tensor* leaf : leaves()) {
      all.push_back(leaf->gradient());
      leaf->clear_gradient();
    }
    return all;
  }

 private:
  std::vector<Tensor*> leaves() {
    std::vector<Tensor*> all = {&query_, &memory_};
    for (const NamedParameter& parameter : parameters_of(attention_)) {
      all.push_back(parameter.tensor);
    }
    return all;
  }

  Layout queries_;
  Layout slots_;
  Geometry geometry_;
  Attention attention_;
  Tensor query_;
  Tensor memory_;
};

Place cpu() { return {&forced("cpu"), DType::f32}; }
Place exact() { return {&forced("reference"), DType::f64}; }

const Report nothing = {};
const Report weights_only = {.weights = true};

void expect_as_defined(const Case& c) {
  Scene fast(c, cpu());
  Scene slow(c, exact());
  const Attended a = fast.look(everything);
  const Attended b = slow.look(everything);
  EXPECT_TRUE(close(a.context, b.context, 256)) << c.name();
  EXPECT_TRUE(close(a.weights, b.weights, 256)) << c.name();
  EXPECT_TRUE(close(a.entropy, b.entropy, 256)) << c.name();
  for (const Report& report : {nothing, weights_only}) {
    const std::vector<Tensor> got = fast.gradients(report);
    const std::vector<Tensor> expected = slow.gradients(report);
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].defined(), expected[i].defined()) << c.name() << " leaf " << i;
      // These are sums over every pair, so the size of their terms sets the scale of errors.
      EXPECT_TRUE(!got[i].defined() ||
                  close(got[i], expected[i], scaled(tolerance(DType::f32, 4096), 4)))
          << c.name() << " leaf " << i << (report.weights ? " with weights" : "");
    }
  }
}

std::vector<Sizes> sizes() {
  return {
      {{1}, {1}},
      {{1, 1, 1}, {17, 1, 131}, 15, 15},
      {{7, 1}, {13, 31}, 7, 7},
      {{16}, {129}, 64, 64},
      {{19, 3}, {0, 257}, 12, 12},
      {{67, 64}, {67, 64}, 36, 36},
      {{131}, {139}, 24, 24},
  };
}

TEST(Fused, EverySizeIsAsDefined) {
  for (const Sizes& size : sizes()) {
    for (const char* focus : {"everywhere", "causal"}) {
      expect_as_defined({size, {.focus = {focus}}});
    }
  }
}

TEST(Fused, EveryNormaliserIsAsDefined) {
  for (const auto& normaliser : normalisers()) {
    if (!make_part(normalisers(), normaliser.name)->lower()) {
      continue;
    }
    for (const char* focus : {"everywhere", "window", "strictly_causal"}) {
      expect_as_defined(
          {{{21, 5}, {37, 9}, 20, 20}, {.normaliser = normaliser.name, .focus = {focus}}});
    }
    expect_as_defined({{{40}, {300}}, {.normaliser = normaliser.name}});
  }
}

TEST(Fused, EveryFocusAndHeadsThatShareKeysAreAsDefined) {
  for (const auto& focus : focuses()) {
    for (const char* score : {"scaled_dot", "additive"}) {
      expect_as_defined(
          {{{23, 2}, {29, 31}, 24, 24},
           {.score = score, .focus = {focus.name}, .heads = 6, .groups = 2, .project = true}});
    }
  }
}

TEST(Fused, DropsWhatIsDefinedToBeDropped) {
  for (const char* normaliser : {"softmax", "entmax15"}) {
    for (const char* focus : {"causal", "local_p", "prior"}) {
      expect_as_defined(
          {{{33, 6}, {35, 34}, 16, 16},
           {.normaliser = normaliser, .focus = {focus}, .heads = 2, .groups = 2, .project = true},
           0.3});
    }
  }
}

/// Projections and the operator's own products, rounded where this CPU has bf16.
TEST(Fused, Bf16IsCloseToTheDefinition) {
  for (const char* focus : {"everywhere", "causal"}) {
    for (const Sizes& size : {Sizes{{67, 64}, {67, 64}, 32, 32}, {{1, 19}, {131, 40}, 32, 32}}) {
      const Case c{size, {.focus = {focus}, .heads = 2, .groups = 2, .project = true}};
      Scene fast(c, cpu());
      fast.round();
      Scene slow(c, exact());
      EXPECT_TRUE(close(fast.look(nothing).context, slow.look(nothing).context,
                        scaled(bf16_tolerance(64), 2)))
          << c.name();
      const std::vector<Tensor> got = fast.gradients(nothing);
      const std::vector<Tensor> expected = slow.gradients(nothing);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(close(got[i], expected[i], scaled(bf16_tolerance(4096), 8)))
            << c.name() << " leaf " << i;
      }
    }
  }
}

TEST(Fused, BitsDoNotDependOnThreadsOrReports) {
  const int before = threads();
  for (const char* score : {"scaled_dot", "additive"}) {
    for (const char* normaliser : {"softmax", "sparsemax"}) {
      const Case c{{{150, 70}, {131, 90}, 16, 16},
                   {.score = score, .normaliser = normaliser, .heads = 2, .project = true}};
      Scene scene(c, cpu());
      set_threads(1);
      const Tensor context = scene.look(nothing).context;
      const std::vector<Tensor> alone = scene.gradients(nothing);
      for (const int count : {1, 2, 3, 8}) {
        set_threads(count);
        EXPECT_TRUE(same_bits(scene.look(nothing).context, context)) << c.name() << count;
        EXPECT_TRUE(same_bits(scene.look(everything).context, context)) << c.name() << count;
        const std::vector<Tensor> together = scene.gradients(nothing);
        for (size_t i = 0; i < alone.size(); ++i) {
          EXPECT_TRUE(same_bits(together[i], alone[i]))
              << c.name() << " " << count << " leaf " << i;
        }
      }
    }
  }
  set_threads(before);
}

/// Shows that the fused path ran: composed, each of these would need memory for rows × slots.
TEST(Fused, MemoryGrowsWithRowsPlusSlots) {
  constexpr int32_t n = 1536;  // too many for weights to be kept
  std::vector<Arrangement> all = {{.score = "additive", .focus = {"causal"}}};
  for (const char* normaliser : {"softmax", "relu", "sigmoid", "sparsemax", "entmax15", "topk"}) {
    all.push_back({.normaliser = normaliser, .focus = {"causal"}});
  }
  for (const Arrangement& arranged : all) {
    const Case c{{{n}, {n}, 8, 8}, arranged};
    Scene scene(c, cpu());
    CachingAllocator& allocator = cpu().backend->allocator();
    const int64_t before = allocator.statistics().live_bytes;
    allocator.reset_peak();
    scene.gradients(nothing);
    EXPECT_LT(allocator.statistics().peak_bytes - before, n * n * 4 / 2) << c.name();
  }
}

/// Twice the length needs twice the memory, including that of inputs and gradients.
TEST(Fused, AdditiveMemoryIsLinear) {
  const auto added = [](int32_t n) {
    const Case c{{{n}, {n}, 16, 16}, {.score = "additive"}};
    Scene scene(c, cpu());
    CachingAllocator& allocator = cpu().backend->allocator();
    const int64_t before = allocator.statistics().live_bytes;
    allocator.reset_peak();
    scene.gradients(nothing);
    return allocator.statistics().peak_bytes - before;
  };
  const int64_t once = added(256);
  EXPECT_LT(added(512), once * 5 / 2);  // sizes of blocks are rounded up
  EXPECT_LT(added(1024), once * 5);
  EXPECT_LT(added(1024), 1024 * 1024 * 4 / 2);
}

TEST(Fused, NotANumberStaysInItsRow) {
  for (const auto& normaliser : normalisers()) {
    const auto lowered = make_part(normalisers(), normaliser.name)->lower();
    if (!lowered || std::holds_alternative<Threshold>(*lowered)) {
      continue;
    }
    // Kernels weigh eight rows together, then four, then one.
    const auto has_it = [](size_t row) { return row == 1 || row == 9 || row == 12; };
    std::vector<float> rows(13 * 4, 1.0F);
    for (size_t row = 0; row < 13; ++row) {
      rows[row * 4 + 1] = has_it(row) ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
    }
    const Tensor query = Tensor::of(rows, {1, 1, 1, 13, 4}, cpu());
    const Tensor keys = Tensor::full({1, 1, 6, 4}, 0.5, cpu());
    Where where;
    where.lo = Tensor::zeros({1, 1, 1, 1}, cpu());
    where.hi = Tensor::full({1, 1, 1, 1}, 6, cpu());
    where.count = where.hi;
    const std::vector<double> seen = attend_fused({.score = Dot{query, keys, 1},
                                                   .normaliser = *lowered,
                                                   .where = where,
                                                   .values = keys,
                                                   .dropout = {}})
                                         .contexts.values();
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(std::isnan(seen[i]), has_it(i / 4) && normaliser.name != std::string("relu"))
          << normaliser.name << " " << i;
    }
  }
}

using Row = std::vector<double>;

/// softmax of scale · e over slots [lo, hi) in double, 0 elsewhere.
Row softmax_between(const Row& e, double scale, int64_t lo, int64_t hi) {
  Row weights(e.size(), 0);
  double most = -std::numeric_limits<double>::infinity();
  double total = 0;
  for (int64_t j = lo; j < hi; ++j) {
    most = std::max(most, scale * e[j]);
  }
  for (int64_t j = lo; j < hi; ++j) {
    weights[j] = std::exp(scale * e[j] - most);
    total += weights[j];
  }
  for (int64_t j = lo; j < hi; ++j) {
    weights[j] /= total;
  }
  return weights;
}

/// Ranges of some rows: every fifth sees nothing, some see one slot, some all of them and more.
Where any_ranges(int64_t rows, int64_t slots) {
  std::vector<float> lo;
  std::vector<float> hi;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t from = i * 7919 % slots;
    const int64_t more = i % 5 == 3 ? 0 : i % 7 == 1 ? 1 : 1 + i * 104729 % slots;
    lo.push_back(static_cast<float>(i % 11 == 0 ? -3 : from));
    hi.push_back(static_cast<float>(i % 11 == 0 ? slots + 2 : from + more));
  }
  Where where;
  where.lo = Tensor::of(lo, {1, 1, 1, rows}, cpu());
  where.hi = Tensor::of(hi, {1, 1, 1, rows}, cpu());
  where.count = where.hi;
  return where;
}

/// Expects that row i is the result of these weights.
void expect_row(const FusedAttended& seen, int64_t i, const Row& weights, const Row& values) {
  const auto slots = static_cast<int64_t>(weights.size());
  const int64_t width = seen.contexts.size(4);
  const Row used = seen.weights.values();
  const Row contexts = seen.contexts.values();
  Row context(static_cast<size_t>(width), 0);
  double entropy = 0;
  for (int64_t j = 0; j < slots; ++j) {
    EXPECT_NEAR(used[i * slots + j], weights[j], 2e-6) << i << " " << j;
    entropy -= weights[j] > 0 ? weights[j] * std::log(weights[j]) : 0;
    for (int64_t a = 0; a < width; ++a) {
      context[a] += weights[j] * values[j * width + a];
    }
  }
  EXPECT_NEAR(seen.entropy.values()[i], entropy, 2e-5) << i;
  const auto best = std::max_element(weights.begin(), weights.end());
  EXPECT_EQ(seen.argmax.values()[i], *best > 0 ? best - weights.begin() : 0) << i;
  for (int64_t a = 0; a < width; ++a) {
    EXPECT_NEAR(contexts[i * width + a], context[a], 1e-5) << i << " " << a;
  }
}

TEST(Fused, EveryRowMaySeeAnyRange) {
  constexpr int64_t rows = 45;  // weighed by eights, a four and a one
  constexpr int64_t width = 8;
  constexpr double scale = 0.7;
  for (const int64_t slots : {5, 37, 131, 300}) {
    const Tensor query =
        Tensor::random({1, 1, 1, rows, width}, Distribution::normal, {3, 0, 1}, cpu());
    const Tensor keys =
        Tensor::random({1, 1, slots, width}, Distribution::normal, {3, 0, 2}, cpu());
    const Where where = any_ranges(rows, slots);
    const FusedAttended seen = attend_fused({.score = Dot{query, keys, scale},
                                             .normaliser = Streaming{},
                                             .where = where,
                                             .values = keys,
                                             .dropout = {},
                                             .wants_weights = true,
                                             .wants_argmax = true,
                                             .wants_entropy = true});
    const Row q = query.values();
    const Row k = keys.values();
    for (int64_t i = 0; i < rows; ++i) {
      Row e(static_cast<size_t>(slots), 0);
      for (int64_t j = 0; j < slots * width; ++j) {
        e[j / width] += q[i * width + j % width] * k[j];
      }
      const auto lo = static_cast<int64_t>(std::max(0.0, where.lo.values()[i]));
      const auto hi = std::min(slots, static_cast<int64_t>(where.hi.values()[i]));
      expect_row(seen, i, softmax_between(e, scale, lo, hi), k);
    }
  }
}

/// Σ_i r_i c_i by loops in double, for rows of one head.
double loss_of(const Row& query, const Row& keys, int64_t width, double alpha) {
  const auto rows = static_cast<int64_t>(query.size()) / width;
  const auto slots = static_cast<int64_t>(keys.size()) / width;
  double total = 0;
  for (int64_t i = 0; i < rows; ++i) {
    Row e(static_cast<size_t>(slots), 0);
    for (int64_t j = 0; j < slots; ++j) {
      for (int64_t a = 0; a < width; ++a) {
        e[j] += query[i * width + a] * keys[j * width + a];
      }
    }
    const Row p = entmax_by_bisection(e, alpha);
    for (int64_t j = 0; j < slots; ++j) {
      for (int64_t a = 0; a < width; ++a) {
        total += p[j] * keys[j * width + a] * std::cos(static_cast<double>(i + a));
      }
    }
  }
  return total;
}

TEST(Fused, AnyAlphaOfEntmax) {
  constexpr int64_t rows = 5;
  constexpr int64_t slots = 11;
  constexpr int64_t width = 4;
  for (const double alpha : {1.2, 1.5, 1.7, 2.0, 2.5}) {
    Tensor query = Tensor::random({1, 1, 1, rows, width}, Distribution::normal, {7, 0, 1}, cpu());
    const Tensor keys =
        Tensor::random({1, 1, slots, width}, Distribution::normal, {7, 0, 2}, cpu());
    query.watch();
    Where where;
    where.lo = Tensor::zeros({1, 1, 1, 1}, cpu());
    where.hi = Tensor::full({1, 1, 1, 1}, slots, cpu());
    where.count = where.hi;
    const Tensor contexts = attend_fused({.score = Dot{query, keys, 1},
                                          .normaliser = Threshold{.alpha = alpha, .k = 0},
                                          .where = where,
                                          .values = keys,
                                          .dropout = {}})
                                .contexts;
    Row gradients;
    for (int64_t i = 0; i < rows * width; ++i) {
      gradients.push_back(std::cos(static_cast<double>(i / width + i % width)));
    }
    const Tensor seed = Tensor::of(gradients, contexts.shape(), cpu());
    const Row at = query.values();
    const Row given = keys.values();
    EXPECT_NEAR(sum(contexts * seed).item(), loss_of(at, given, width, alpha), 1e-4) << alpha;
    contexts.backward(seed);
    const Row got = query.gradient().values();
    for (size_t i = 0; i < at.size(); ++i) {
      constexpr double h = 1e-6;
      Row up = at;
      Row down = at;
      up[i] += h;
      down[i] -= h;
      const double gradient =
          (loss_of(up, given, width, alpha) - loss_of(down, given, width, alpha)) / (2 * h);
      EXPECT_NEAR(got[i], gradient, 2e-3) << alpha << " " << i;
    }
  }
}

}  // namespace
}  // namespace heed::test::fused_test
