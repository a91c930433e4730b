// The table of searches: every decoder has one, they go on by steps, so they take turns, and are given
// up at any step.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/search/search.h"
#include "heed/search/searches.h"
#include "tests/model/pairs.h"

namespace heed::test::batch_search_test {
namespace {

const Place place{&forced("far"), DType::f32};

std::unique_ptr<Model> built(const std::string& decoder) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
                               "decoder": {"kind": ")" +
                               decoder + "\"}}",
                           "test"));
  const std::vector<Special> needed = decoders().make(decoder)->needed_specials();
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(needed)), init);
  move_parameters(*model);
  return model;
}

std::vector<std::string> all_decoders() {
  std::vector<std::string> names;
  for (const auto& entry : decoders()) {
    names.push_back(entry.name);
  }
  return names;
}

SearchOptions three_wide() {
  SearchOptions options;
  options.beam = 3;
  options.weights = true;
  return options;
}

std::unique_ptr<BatchSearch> batch_search(const Model& model, const Batch& batch,
                                          const SearchOptions& options) {
  const Model* one[] = {&model};
  return begin_search({one, batch, {}, options});
}

class BatchSearches : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Model> model_ = built(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Decoders, BatchSearches, ::testing::ValuesIn(all_decoders()),
                         [](const auto& info) { return info.param; });

TEST_P(BatchSearches, TakeTurns) {
  const Batch batches[] = {batch_of_ids({{5, 6, 4}, {7}}, {}, place),
                           batch_of_ids({{8, 3, 3, 4, 5, 6}}, {}, place)};
  std::unique_ptr<BatchSearch> turns[] = {batch_search(*model_, batches[0], three_wide()),
                                          batch_search(*model_, batches[1], three_wide())};
  int steps = 0;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (auto& one : turns) {
      if (!one->is_done()) {
        one->step();
        ++steps;
        goes_on = true;
      }
    }
  }
  EXPECT_GE(steps, 4) << "at least two each";
  for (size_t b = 0; b < 2; ++b) {
    const auto found = turns[b]->take();
    const auto alone = search(*model_, batches[b], three_wide());
    ASSERT_EQ(found.size(), alone.size());
    for (size_t s = 0; s < found.size(); ++s) {
      ASSERT_EQ(found[s].size(), alone[s].size());
      EXPECT_EQ(found[s][0].ids, alone[s][0].ids);
      EXPECT_EQ(found[s][0].score, alone[s][0].score);
      EXPECT_EQ(found[s][0].weights, alone[s][0].weights);
    }
  }
}

/// It is asked before every step whether it goes on, and ends as soon as it may not.
TEST_P(BatchSearches, AreGivenUpAtAnyStep) {
  const Batch batch = batch_of_ids({{5, 6, 4}, {7}}, {}, place);
  SearchOptions short_outputs = three_wide();
  short_outputs.max_length = 8;
  int64_t steps = 0;
  const auto run = batch_search(*model_, batch, short_outputs);
  for (; !run->is_done(); ++steps) {
    run->step();
  }
  EXPECT_GE(steps, 2);
  const Model* one[] = {model_.get()};
  for (int64_t last = 0; last < steps; ++last) {
    int64_t asked = 0;
    const auto is_cancelled = [&asked, last] {
      return ++asked > last + 1;
    };  // once before the first
    try {
      search(one, batch, {}, short_outputs, is_cancelled);
      ADD_FAILURE() << "step " << last;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::cancelled);
    }
    EXPECT_EQ(asked, last + 2) << "nothing more is done";
  }
}

TEST(Searches, AreOneForEachDecoder) {
  std::set<std::string> used;
  for (const auto& entry : decoders()) {
    const auto made = entry.make();
    EXPECT_EQ(
        std::count_if(searches().begin(), searches().end(),
                      [&made](const SearchKind& one) { return one.how == made->writes_by(); }),
        1)
        << entry.name;
    used.insert(search_for(*made).name);
  }
  EXPECT_EQ(used.size(), searches().size());
}

TEST(CtcSteps, AreThoseOfEveryFrame) {
  const auto model = built("ctc");
  const auto count = [&](const IdSequences& sources) {
    const auto run = batch_search(*model, batch_of_ids(sources, {}, place), three_wide());
    int64_t steps = 0;
    for (; !run->is_done(); ++steps) {
      run->step();
    }
    return steps;
  };
  const int64_t one = count({{5, 6, 4}});
  EXPECT_GT(one, 4) << "four slots with at least a frame each";
  EXPECT_EQ(count({{5, 6, 4}, {7, 3, 4}}) - one, one - 1) << "the source is read once";
}

TEST(MaskPredictSteps, AreRounds) {
  const auto model = built("mask_predict");
  SearchOptions options;
  options.parallel.rounds = 7;
  const auto run = batch_search(*model, batch_of_ids({{5, 6, 4}}, {}, place), options);
  int64_t steps = 0;
  for (; !run->is_done(); ++steps) {
    run->step();
  }
  EXPECT_EQ(steps, 1 + 7);
}

}  // namespace
}  // namespace heed::test::batch_search_test
