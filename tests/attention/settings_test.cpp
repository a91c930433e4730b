// Every setting of Attention, and of every score, normaliser and focus its catalogues list, changes
// something a caller can see.
#include <gtest/gtest.h>

#include "heed/base/atomic_file.h"
#include "tests/attention/rig.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/choices_differ.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::settings_test {
namespace {

const Place place{&forced("cpu"), DType::f32};

/// Numbers of every output that there is.
void add(std::vector<double>& numbers, std::initializer_list<Tensor> outputs) {
  for (const Tensor& output : outputs) {
    if (output.defined()) {
      const std::vector<double> values = output.values();
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
  }
}

/// Keys of 40 and 7 slots: the windows' defaults are narrower than the first. Row 3 is zero, where
/// the cosine has no direction.
Tensor memory_rows(int64_t rows) {
  Tensor memory = Tensor::random({rows, 8}, Distribution::normal, {5, 0, 2}, place);
  memory.backend().fill(sliced(memory.view(), 0, 3, 1), 0);
  return memory;
}

/// Everything that a caller can see, serving and training, including gradients, because a norm's ε
/// affects nothing else.
std::vector<double> all_outputs(Described& module) {
  auto& attention = dynamic_cast<Attention&>(module);
  Init init(place, 3);
  attention.build({8, 8, 0}, init);
  move_parameters(attention);
  const std::vector<int32_t> slots = {40, 7};
  const std::vector<int32_t> rows = {4, 3};
  const std::vector<int32_t> first = {20, 0};
  const Layout layout = Layout::packed(slots, place);
  const Layout queries = Layout::packed(rows, place);
  const Geometry geometry({.queries = queries,
                           .memory_lengths = slots,
                           .memory_of = {},
                           .first_position = first,
                           .place = place});
  const Report report{.weights = true, .heads = {}, .argmax = false, .topk = 0, .entropy = true};
  std::vector<double> numbers = {static_cast<double>(attention.width()),
                                 static_cast<double>(trained_parameters_of(attention).size())};
  for (Pass pass : {Pass::serving(5), Pass::training(5, 1)}) {
    Tensor query = Tensor::random({queries.rows(), 8}, Distribution::normal, {5, 0, 1}, place);
    Tensor memory = memory_rows(layout.rows());
    query.watch();
    memory.watch();
    const Attended seen =
        attend(attention, {query, geometry, attention.remember(memory, layout), {}, report}, pass);
    add(numbers, {seen.context, seen.weights, seen.entropy, seen.log_probability});
    weighted_sum({seen.context, seen.weights, seen.entropy}).backward();
    add(numbers, {query.gradient(), memory.gradient()});
  }
  return numbers;
}

Json table(const char* name, Json value) { return Json::object().set(name, std::move(value)); }

/// A file of 64 numbers, which a bilinear score takes as its W.
const std::string& matrix_file() {
  static const ScratchDirectory scratch;
  static const std::string path = [] {
    std::string numbers;
    for (int i = 0; i < 64; ++i) {
      numbers += fmt::format("{}\n", 0.01 * i - 0.3);
    }
    write_atomically(scratch / "w.txt", numbers);
    return scratch / "w.txt";
  }();
  return path;
}

TurnOptions options() {
  TurnOptions options;
  options.tries["score.given"] = {matrix_file()};
  options.given["normaliser.mix_of"] = table("normaliser", table("kind", "hard").set("mix", 0.5));
  options.given["heads"] = table("project", true);
  options.given["bias"] = table("project", true);
  options.given["groups"] = table("project", true).set("heads", 4);
  options.given["head_width"] = table("project", true);
  const auto prior = [](const char* shape) {
    Json parts = Json::array();
    parts.push(table("kind", "prior").set("shape", shape));
    return table("focus", parts);
  };
  options.given["focus[0].ratio"] = prior("diagonal");
  options.given["focus[0].width"] = prior("diagonal");
  options.given["focus[0].buckets"] = prior("relative");
  options.given["focus[0].distance"] = prior("relative");
  options.given["focus[0].bidirectional"] = prior("relative");
  return options;
}

TEST(AttentionSettings, EachChangesSomething) {
  const MakeDescribed make = [] { return std::make_unique<Attention>(); };
  EXPECT_GE(turn_every_setting(make, all_outputs, options()), 9U);
}

/// Changes every setting of every part of a catalogue, inside an attention that has the part.
template <class Part>
void turn_every_part(const std::string& role, const Catalogue<Part>& catalogue) {
  for (const auto& entry : catalogue) {
    SCOPED_TRACE(entry.name);
    const MakeDescribed make = [&] {
      auto attention = std::make_unique<Attention>();
      apply(*attention, table(role.c_str(), entry.name));
      return attention;
    };
    for (const Knob& knob : knobs_of(make)) {
      if (knob.keys.front() != role || knob.keys.size() == 1) {
        continue;  // the attention's own
      }
      turn(knob, make, all_outputs, options());
      if (is_chosen_by_name(knob)) {
        expect_choices_differ(knob, make, all_outputs, options());
      }
    }
  }
}

TEST(AttentionSettings, EachOfEveryScoreChangesSomething) { turn_every_part("score", scores()); }
TEST(AttentionSettings, EachOfEveryNormaliserChangesSomething) {
  turn_every_part("normaliser", normalisers());
}
TEST(AttentionSettings, EachOfEveryFocusChangesSomething) { turn_every_part("focus", focuses()); }

TEST(AttentionSettings, NoTwoPartsDoTheSame) {
  const MakeDescribed make = [] { return std::make_unique<Attention>(); };
  for (const Knob& knob : knobs_of(make)) {
    if (knob.keys.size() == 1 && is_chosen_by_name(knob)) {
      expect_choices_differ(knob, make, all_outputs, options());
    }
  }
}

TEST(AttentionSettings, RotaryIsRefusedWhereNoKeyIsRead) {
  const MakeDescribed make = [] {
    auto attention = std::make_unique<Attention>();
    attention->choose_score("location");
    return attention;
  };
  TurnOptions asked = options();
  asked.refused["rotary"] = "the score location reads no keys that rotary could rotate";
  for (const Knob& knob : knobs_of(make)) {
    if (knob.path == "rotary") {
      turn(knob, make, all_outputs, asked);
    }
  }
}

}  // namespace
}  // namespace heed::test::settings_test
