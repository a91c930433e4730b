#include "heed/api/answers.h"

#include <utility>

namespace heed {

Output output_of(Reply& reply) {
  Output out;
  out.text = std::move(reply.text);
  out.score = reply.score;
  out.log_probability = reply.log_probability;
  out.ended = reply.ended;
  Seen seen = reply.seen ? std::move(*reply.seen) : Seen();
  out.source = std::move(seen.columns);
  out.target = std::move(seen.rows);
  for (size_t i = 0; i < seen.weights.rows(); ++i) {
    const auto row = seen.weights.row(i);
    out.weights.emplace_back(row.begin(), row.end());
  }
  return out;
}

std::vector<Answer> answers_of(std::vector<Replies> all) {
  std::vector<Answer> answers;
  for (Replies& found : all) {
    Answer& one = answers.emplace_back();
    one.warnings = std::move(found.warnings);
    for (Reply& reply : found.best) {
      one.outputs.push_back(output_of(reply));
    }
  }
  return answers;
}

}  // namespace heed
