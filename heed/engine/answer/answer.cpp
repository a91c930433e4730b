#include "heed/engine/answer/answer.h"

#include <utility>

#include "heed/engine/answer/inquiry.h"
#include "heed/engine/answer/scheduler.h"

namespace heed {

/// Searched on this thread, by a scheduler that has nobody else.
std::vector<Replies> answer(TrainedModels models, std::span<const Source> sources,
                            const AnswerOptions& options) {
  Inquiry request({models.begin(), models.end()}, {sources.begin(), sources.end()}, options);
  Scheduler scheduler;
  while (request.prepare()) {
    scheduler.add(request.job());
    while (!scheduler.is_idle()) {
      scheduler.step();
    }
    request.settle();
  }
  return request.joined();
}

std::vector<Replies> answer(TrainedModels models, std::span<const std::string> cells,
                            const AnswerOptions& options) {
  const std::vector<Source> sources(cells.begin(), cells.end());
  return answer(models, sources, options);
}

std::vector<Replies> answer(const TrainedModel& trained, std::span<const std::string> cells,
                            const AnswerOptions& options) {
  const TrainedModel* one[] = {&trained};
  return answer(one, cells, options);
}

std::vector<std::string> answer_texts(const TrainedModel& trained,
                                      std::span<const std::string> cells,
                                      const AnswerOptions& options) {
  std::vector<std::string> texts;
  for (Replies& replies : answer(trained, cells, options)) {
    texts.push_back(std::move(replies.best.front().text));
  }
  return texts;
}

}  // namespace heed
