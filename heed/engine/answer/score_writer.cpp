#include "heed/engine/answer/score_writer.h"

#include <utility>

namespace heed {

Json written_score(const PairScore& score, bool with_words) {
  Json object = Json::object();
  object.set("log_probability", score.log_probability);
  object.set("tokens", score.tokens);
  object.set("perplexity", score.perplexity());
  if (with_words) {
    Json words = Json::array();
    for (size_t i = 0; i < score.target.size(); ++i) {
      Json word = Json::array();
      word.push(score.target[i]).push(score.token_log_probability[i]);
      words.push(std::move(word));
    }
    object.set("words", std::move(words));
  }
  return object;
}

}  // namespace heed
