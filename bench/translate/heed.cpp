// heed's side of bench/translate: says "ready", then answers each count with that many seconds, a
// run over the sentences each; "say" with what it said, −2 between sentences; "table" with where the
// time of a run goes, per primitive and slot, and how many times its own products a run takes.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/timed_backend.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"
#include "heed/nn/precision.h"
#include "heed/search/search.h"

namespace heed {
namespace {

using Sentences = std::vector<std::vector<int32_t>>;

Sentences read_ids(const std::string& path) {
  std::ifstream file(path);
  Sentences all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    all.emplace_back();
    for (int32_t id = 0; words >> id;) {
      all.back().push_back(id);
    }
  }
  return all;
}

class Bench {
 public:
  Bench(char** words, const Place& place)
      : trained_(load_model(words[1] + std::string("/heed.safetensors"), place)),
        batch_(std::stoul(words[3])) {
    serve(*trained_.model, precision_named(words[2]));
    sentences_ = read_ids(words[1] + std::string("/source.txt"));
    if (batch_ == 1) {
      sentences_.resize(8);
    }
    options_.beam = std::stoll(words[4]);
    options_.max_length = std::stoll(words[5]);
  }

  Sentences translate() const {
    Sentences said;
    for (size_t first = 0; first < sentences_.size(); first += batch_) {
      const auto begin = sentences_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end =
          begin + static_cast<std::ptrdiff_t>(std::min(batch_, sentences_.size() - first));
      const Batch some = batch_of_ids({begin, end}, {}, trained_.model->place());
      for (const auto& best : search(*trained_.model, some, options_)) {
        said.push_back(best.front().ids);
      }
    }
    return said;
  }

 private:
  TrainedModel trained_;
  Sentences sentences_;
  SearchOptions options_;
  size_t batch_;
};

double seconds_of(const Bench& bench) {
  const auto begin = std::chrono::steady_clock::now();
  bench.translate();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Where the time of one run goes, after one that is not counted.
void print_table(char** words) {
  bench::TimedBackend timed(*place_on("cpu").backend);
  const Bench bench(words, {&timed, DType::f32});
  bench.translate();
  timed.start_over();
  const double whole = seconds_of(bench);
  double products = 0;
  double inside = 0;
  for (const bench::Watched& one : timed.table()) {
    inside += one.seconds;
    products +=
        one.name == "matmul" || one.name == PackedProduct::name || one.name == PackedProducts::name
            ? one.seconds
            : 0;
    std::printf("  %-20s %8ld calls %10.2f ms %5.1f %%\n", one.name.c_str(),
                static_cast<long>(one.calls), 1e3 * one.seconds, 100 * one.seconds / whole);
  }
  std::printf("  %-20s %14s %10.2f ms %5.1f %%\n", "outside the backend", "",
              1e3 * (whole - inside), 100 * (whole - inside) / whole);
  std::printf("  a run takes %.3f times its own products\n", whole / products);
  std::fflush(stdout);
}

int answer(int count, char** words) {
  if (count != 6) {
    std::cerr << "usage: bench_translate FOLDER PRECISION BATCH BEAM WORDS\n";
    return 2;
  }
  const Bench bench(words, place_on("cpu"));
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "say") {
      for (const auto& ids : bench.translate()) {
        for (const int32_t id : ids) {
          std::cout << id << ' ';
        }
        std::cout << "-2 ";
      }
      std::cout << std::endl;
      continue;
    }
    if (line == "table") {
      print_table(words);
      continue;
    }
    for (int i = std::stoi(line); i > 0; --i) {
      std::cout << seconds_of(bench) << ' ';
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) { return heed::answer(count, words); }
