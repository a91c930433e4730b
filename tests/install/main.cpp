// A program outside the project. MODEL TEXT: translates; without them: lists the scores there are.
#include <cstdio>
#include <string>
#include <vector>

#include "heed/attention/scores.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"

int main(int argc, char** argv) {
  if (argc == 3) {
    const heed::TrainedModel trained = heed::load_model(argv[1], heed::place_on("cpu"));
    const std::vector<std::string> lines = {argv[2]};
    std::puts(heed::translate_lines(trained, lines, {})[0].c_str());
    return 0;
  }
  for (const auto& score : heed::scores()) {
    std::printf("%s: %s\n", score.name.c_str(), score.formula.c_str());
  }
}
