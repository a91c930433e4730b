// Where a query may look: every focus alone and with every other, compared with naive predicates
// from the papers, for any first positions, several query sequences over one memory, and memories
// of several lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "heed/config/apply.h"
#include "heed/ops/broadcast.h"
#include "tests/attention/rig.h"

namespace heed::test::where_test {
namespace {

constexpr int64_t groups = 2;
constexpr int64_t heads_per_group = 2;
constexpr int64_t width = 4;
constexpr int64_t slots = 10;  // a cache has room for more than its longest memory

/// What a predicate may use about a row of one head.
struct Seat {
  double i = 0;       // its position
  double memory = 0;  // slots of its memory
  double n = 0;       // of them, after causality
  double peak = 0;    // argmax of the step before
  int64_t head = 0;
  const double* query = nullptr;  // [width]
  bool trains = false;
};

/// A part as the papers define it.
struct Said {
  std::string config = "{}";
  std::function<bool(const Seat&, double)> open = [](const Seat&, double) { return true; };
  std::function<double(const Seat&)> most = [](const Seat& s) { return s.memory; };
  std::function<double(const Seat&, double)> bias = nullptr;
};

double bucket_of(double offset, bool both_ways, int64_t buckets, double distance) {
  const auto n = static_cast<double>(both_ways ? buckets / 2 : buckets);
  const double exact = std::floor(n / 2);
  const double first = both_ways && offset > 0 ? n : 0;
  const double r = both_ways ? std::abs(offset) : std::max(-offset, 0.0);
  const double far =
      exact + std::floor(std::log(r / exact) / std::log(distance / exact) * (n - exact));
  return first + (r < exact ? r : std::min(far, n - 1));
}

std::map<std::string, std::vector<Said>> everything_said() {
  std::map<std::string, std::vector<Said>> said;
  said["everywhere"] = {{}};
  said["causal"] = {{.open = [](const Seat& s, double j) { return j <= s.i; },
                     .most = [](const Seat& s) { return std::min(s.memory, s.i + 1); }}};
  said["strictly_causal"] = {{.open = [](const Seat& s, double j) { return j < s.i; },
                              .most = [](const Seat& s) { return std::min(s.memory, s.i); }}};
  said["window"] = {{.config = R"({"left": 2, "right": 1})",
                     .open = [](const Seat& s, double j) { return s.i - 2 <= j && j <= s.i + 1; }},
                    {.config = R"({"left": 0, "right": 3})",
                     .open = [](const Seat& s, double j) { return s.i <= j && j <= s.i + 3; }}};
  said["local_m"] = {{.config = R"({"D": 2})",
                      .open = [](const Seat& s, double j) { return std::abs(j - s.i) <= 2; }}};
  said["local_p"] = {{.config = R"({"D": 2})"}};  // needs its parameters: see below
  said["monotonic"] = {{.config = R"({"when": "always"})",
                        .open = [](const Seat& s, double j) { return j >= s.peak; }},
                       {.config = R"({"when": "decoding"})",
                        .open = [](const Seat& s, double j) { return s.trains || j >= s.peak; }}};
  said["prior"] = {
      {.config = R"({"shape": "alibi"})",  // 4 heads: slopes 2^−2, 2^−4, 2^−6, 2^−8
       .bias =
           [](const Seat& s, double j) {
             return -std::pow(0.25, static_cast<double>(s.head + 1)) * std::abs(s.i - j);
           }},
      {.config = R"({"shape": "diagonal", "ratio": 0.5, "width": 2})",
       .bias = [](const Seat& s,
                  double j) { return -(j - 0.5 * s.i) * (j - 0.5 * s.i) / (2 * 2 * 2); }},
      {.config = R"({"shape": "relative", "buckets": 8, "distance": 6})",
       .bias = [](const Seat& s, double j) { return bucket_of(j - s.i, true, 8, 6); }},
      {.config = R"({"shape": "relative", "buckets": 8, "distance": 6, "bidirectional": false})",
       .bias = [](const Seat& s, double j) { return bucket_of(j - s.i, false, 8, 6); }}};
  return said;
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

/// p_i = (n_i − 1) σ(v_pᵀ tanh(W_p q_i)) of a part that was built.
double place_of(Focus& local_p, const Seat& seat) {
  const std::vector<double> weight = parameter_named(local_p, "weight").values();
  const std::vector<double> v = parameter_named(local_p, "v").values();
  double inner = 0;
  for (int64_t out = 0; out < width; ++out) {
    double x = 0;
    for (int64_t in = 0; in < width; ++in) {
      x += weight[(seat.head * width + in) * width + out] * seat.query[in];
    }
    inner += v[seat.head * width + out] * std::tanh(x);
  }
  return (seat.n - 1) * sigmoid_of(inner);
}

/// Three sequences of 3, 4 and 2 rows over memories of 6 and 9 slots; the first and the last share
/// one.
struct Room {
  explicit Room(const Place& place_) : place(place_) {
    const std::vector<int32_t> rows = {3, 4, 2};
    const std::vector<int32_t> memories = {6, 9};
    const std::vector<int32_t> memory_of = {0, 1, 0};
    const std::vector<int32_t> first = {0, 2, 5};
    geometry = Geometry({.queries = Layout::packed(rows, place),
                         .memory_lengths = memories,
                         .memory_of = memory_of,
                         .first_position = first,
                         .place = place});
    const Shape grid{2, groups, heads_per_group, 5, width};
    query = Tensor::random(grid, Distribution::normal, {1, 0, 0}, place);
    past = Tensor::random(grid.with(4, slots), Distribution::uniform, {2, 0, 0}, place);
    // Rows of either memory, in order of their sequences; −1: none.
    const double positions[2][5] = {{0, 1, 2, 5, 6}, {2, 3, 4, 5, -1}};
    const std::vector<double> queries = query.values();
    const std::vector<double> weights = past.values();
    asked = queries;
    for (int64_t cell = 0; cell < 2 * groups * heads_per_group * 5; ++cell) {
      const int64_t m = cell / (groups * heads_per_group * 5);
      const double i = positions[m][cell % 5];
      const auto begin = weights.begin() + cell * slots;
      const auto peak = std::max_element(begin, begin + slots) - begin;
      seats.push_back({.i = i,
                       .memory = i < 0    ? 0.0
                                 : m == 0 ? 6.0
                                          : 9.0,
                       .peak = static_cast<double>(peak),
                       .head = cell / 5 % (groups * heads_per_group),
                       .query = asked.data() + cell * width});
    }
  }
  Place place;
  Geometry geometry;
  Tensor query;
  Tensor past;
  std::vector<double> asked;
  std::vector<Seat> seats;  // [M, G, P, R]
};

struct Part {
  std::string name;
  Said said;
};

/// The parts built, their relative priors' tables holding the bucket's own number.
std::vector<std::unique_ptr<Focus>> built(const std::vector<Part>& parts, const Place& place) {
  std::vector<std::unique_ptr<Focus>> all;
  Init init(place, 6);
  for (const Part& part : parts) {
    all.push_back(make_part(focuses(), part.name));
    apply(*all.back(), parse_json(part.said.config, "test"));
    all.back()->build({width, groups, heads_per_group}, init);
    for (const NamedParameter& parameter : parameters_of(*all.back())) {
      if (parameter.name == "table") {
        std::vector<double> numbers;
        for (int64_t at = 0; at < parameter.tensor->numel(); ++at) {
          numbers.push_back(static_cast<double>(at / parameter.tensor->size(1)));
        }
        copy_values(Tensor::of(numbers, parameter.tensor->shape(), place), *parameter.tensor);
      }
    }
  }
  return all;
}

/// The result of all parts, as numbers for every head.
struct Agreed {
  Agreed(const Where& where, const Shape& grid) {
    const Shape heads{grid[0], grid[1], grid[2], grid[3]};
    lo = broadcast_to(where.lo, heads).values();
    hi = broadcast_to(where.hi, heads).values();
    count = broadcast_to(where.count, heads).values();
    if (where.bias.defined()) {
      bias = broadcast_to(where.bias, grid.with(4, slots)).values();
    }
    if (where.centre.defined()) {
      centre = broadcast_to(where.centre, heads).values();
    }
  }
  bool is_open(size_t cell, double slot) const { return lo[cell] <= slot && slot < hi[cell]; }
  std::vector<double> lo, hi, count;  // [M, G, P, R]
  std::vector<double> bias;           // [M, G, P, R, S], or empty
  std::vector<double> centre;         // [M, G, P, R], or empty
};

/// One row of one head, slot by slot; p where some part places a Gaussian.
void expect_row(const Agreed& agreed, size_t cell, const std::vector<Part>& parts, const Seat& seat,
                double p) {
  for (int64_t j = 0; j < slots; ++j) {
    const auto slot = static_cast<double>(j);
    bool is_open = slot < seat.memory;
    double bias = 0;
    for (const Part& part : parts) {
      is_open = is_open && part.said.open(seat, slot);
      is_open = is_open && (part.name != "local_p" || std::abs(slot - p) <= 2);
      bias += part.said.bias ? part.said.bias(seat, slot) : 0;
    }
    EXPECT_EQ(agreed.is_open(cell, slot), is_open)
        << "head " << seat.head << ", position " << seat.i << ", slot " << j;
    EXPECT_NEAR(agreed.bias.empty() ? 0 : agreed.bias[cell * slots + static_cast<size_t>(j)], bias,
                1e-5)
        << "head " << seat.head << ", position " << seat.i << ", slot " << j;
  }
}

void expect_where(const std::vector<Part>& parts, const Room& room, bool trains) {
  std::string name = trains ? "training" : "serving";
  for (const Part& part : parts) {
    name += " " + part.name + part.said.config;
  }
  SCOPED_TRACE(name);
  const auto focus = built(parts, room.place);
  const Where where = where_to_look(focus, {room.geometry, room.query, room.past, slots, trains});
  const Agreed agreed(where, room.query.shape());
  for (size_t cell = 0; cell < room.seats.size(); ++cell) {
    Seat seat = room.seats[cell];
    if (seat.i < 0) {
      EXPECT_GE(agreed.lo[cell], agreed.hi[cell]) << "a row that is not there may see nothing";
      continue;
    }
    seat.trains = trains;
    seat.n = seat.memory;
    for (const Part& part : parts) {
      seat.n = std::min(seat.n, part.said.most(seat));
    }
    EXPECT_EQ(agreed.count[cell], seat.n) << "position " << seat.i;
    double p = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].name == "local_p") {
        p = place_of(*focus[k], seat);
        EXPECT_NEAR(agreed.centre[cell], p, 1e-5);
        EXPECT_EQ(where.sigma, 1);  // D/2
      }
    }
    expect_row(agreed, cell, parts, seat, p);
  }
}

class Focused : public ::testing::TestWithParam<Place> {};

TEST_P(Focused, EveryFocusAloneAndWithEveryOtherIsWhatThePapersSay) {
  const RanOn guard(GetParam());
  const Room room(GetParam());
  const auto said = everything_said();
  std::vector<Part> every;
  for (const auto& entry : focuses()) {
    const auto found = said.find(entry.name);
    ASSERT_NE(found, said.end()) << "say here what " << entry.name << " means";
    for (const Said& each : found->second) {
      every.push_back({entry.name, each});
    }
  }
  for (size_t a = 0; a < every.size(); ++a) {
    for (const bool trains : {false, true}) {
      expect_where({every[a]}, room, trains);
    }
    for (size_t b = a + 1; b < every.size(); ++b) {
      expect_where({every[a], every[b]}, room, false);
      expect_where({every[b], every[a]}, room, true);  // order does not matter
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Focused, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::where_test
