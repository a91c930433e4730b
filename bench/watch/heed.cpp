// What it costs to watch a search: bench_watch MODEL [ROUNDS]. Sentences of made-up words are searched by the model with nobody
// watching and with watchers that ask for more and more, in turns; processor time, since others share the machine. A line of
// JSON for each batch and beam: the median of each watcher's ratio to its round's unwatched search.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "heed/base/philox.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"
#include "heed/search/search.h"
#include "heed/search/watcher.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

struct Asking {
  const char* name;
  WatchWish wish;
};

const Asking askings[] = {
    {"tree", {}},
    {"rivals", {.rivals = 5}},
    {"rows", {.rivals = 5, .source = {{0, 0}}}},
    {"all", {.rivals = 5, .source = {{0, 0}, {}}, .self = {{0, 0}}}},
};

class Listener : public Watcher {
 public:
  explicit Listener(WatchWish wish) : wish_(std::move(wish)) {}
  WatchWish wish() const override { return wish_; }
  void hear(const WatchedStep& step) override { heard_ += step.continuations.size(); }
  size_t heard() const { return heard_; }

 private:
  WatchWish wish_;
  size_t heard_ = 0;
};

IdSequences made_up(int64_t sentences, int64_t words) {
  IdSequences all;
  for (int64_t s = 0; s < sentences; ++s) {
    const Draws draws({.seed = 1, .step = static_cast<uint64_t>(s)});
    const auto length = static_cast<size_t>(5 + draws.uniform_double(0) * 20);
    std::vector<int32_t>& one = all.emplace_back();
    for (size_t i = 1; i <= length; ++i) {
      one.push_back(static_cast<int32_t>(10 + draws.uniform_double(i) * double(words - 10)));
    }
  }
  return all;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor seconds of a search of all sentences, `batch` at a time.
double searched(const Model& model, const IdSequences& sentences, size_t batch,
                const SearchOptions& options, const WatchWish* wish) {
  const NoGrad no_grad;
  const double begin = processor_seconds();
  for (size_t first = 0; first < sentences.size(); first += batch) {
    const auto from = sentences.begin() + static_cast<std::ptrdiff_t>(first);
    const IdSequences some(from, from + static_cast<std::ptrdiff_t>(batch));
    Pass pass = Pass::serving();
    const std::shared_ptr<const Remembered> memory[] = {std::make_shared<const Remembered>(
        model.remember(batch_of_ids(some, {}, model.place()).source, pass))};
    const Scorer scorers[] = {{&model.autoregressive()}};
    Search run(scorers, model.place(), options);
    run.admit(memory);
    Listener listener(wish == nullptr ? WatchWish() : *wish);
    for (size_t s = 0; wish != nullptr && s < batch; ++s) {
      run.watch(static_cast<int64_t>(s), &listener);
    }
    while (!run.is_done()) {
      run.step();
    }
    require(wish == nullptr || listener.heard() > 0, "bench: saw a watcher that hears nothing");
  }
  return processor_seconds() - begin;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

void measure(const TrainedModel& trained, size_t batch, int64_t beam, int rounds) {
  const auto words = static_cast<int64_t>(trained.fields.source->vocabulary().size());
  const IdSequences sentences = made_up(batch == 1 ? 8 : 32, words);
  SearchOptions options;
  options.beam = beam;
  std::vector<std::vector<double>> ratios(std::size(askings));
  std::vector<double> unwatched;
  for (int round = 0; round <= rounds; ++round) {
    const double alone = searched(*trained.model, sentences, batch, options, nullptr);
    for (size_t i = 0; i < std::size(askings); ++i) {
      const double with = searched(*trained.model, sentences, batch, options, &askings[i].wish);
      if (round > 0) {  // the first warms up
        ratios[i].push_back(with / alone);
      }
    }
    unwatched.push_back(alone);
  }
  fmt::print("{{\"batch\": {}, \"beam\": {}, \"unwatched_s\": {:.4f}", batch, beam,
             median(unwatched));
  for (size_t i = 0; i < std::size(askings); ++i) {
    fmt::print(", \"{}\": {:.3f}", askings[i].name, median(ratios[i]));
  }
  fmt::print("}}\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace heed

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: bench_watch MODEL [ROUNDS]\n");
    return 2;
  }
  const heed::TrainedModel trained = heed::load_model(words[1], heed::place_on("cpu"));
  const int rounds = count > 2 ? std::stoi(words[2]) : 9;
  for (const size_t batch : {1, 32}) {
    for (const int64_t beam : {1, 5}) {
      heed::measure(trained, batch, beam, rounds);
    }
  }
}
