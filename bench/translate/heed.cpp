// heed's side of bench/translate: says "ready", then answers each count with that many seconds, a
// run over the sentences each; "say" with what it said, −2 between sentences.
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "heed/engine/place.h"
#include "heed/model/model_file.h"
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
  Bench(const std::string& folder, const std::string& precision, size_t batch, int64_t beam,
        int64_t words)
      : trained_(load_model(folder + "/heed.safetensors", place_on("cpu"))), batch_(batch) {
    serve(*trained_.model, precision_named(precision));
    sentences_ = read_ids(folder + "/source.txt");
    if (batch == 1) {
      sentences_.resize(8);
    }
    options_.beam = beam;
    options_.max_length = words;
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

int answer(int count, char** words) {
  if (count != 6) {
    std::cerr << "usage: bench_translate FOLDER PRECISION BATCH BEAM WORDS\n";
    return 2;
  }
  const Bench bench(words[1], words[2], std::stoul(words[3]), std::stoll(words[4]),
                    std::stoll(words[5]));
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
    for (int i = std::stoi(line); i > 0; --i) {
      const auto begin = std::chrono::steady_clock::now();
      bench.translate();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      std::cout << taken.count() << ' ';
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) { return heed::answer(count, words); }
