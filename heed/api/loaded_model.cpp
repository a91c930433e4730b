#include "heed/api/loaded_model.h"

#include <exception>
#include <utility>

#include "heed/api/answers.h"
#include "heed/api/held_model.h"
#include "heed/api/request_options.h"
#include "heed/api/ticket_state.h"
#include "heed/base/error.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/scoring.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

void check_pair(const Field& field, const std::string& source, const std::string& target) {
  if (field.has_tokens()) {
    check_utf8("source", source);
  }
  check_utf8("target", target);
}

}  // namespace

std::shared_ptr<Ticket::State> LoadedModel::asked(Request request, const Companions& with,
                                                  RequestWatcher watcher) const {
  std::vector<std::shared_ptr<const void>> handles = {held_};
  for (const LoadedModel& other : with.ensemble) {
    handles.push_back(other.held_);
  }
  if (with.language_model) {
    handles.push_back(with.language_model->held_);
  }
  Engine::Core& core = *held_->core;
  return std::make_shared<Ticket::State>(std::move(handles), core.searching, core.pool,
                                         std::move(request), std::move(watcher));
}

/// Fault::usage where the models or the options do not fit together.
void LoadedModel::begin(Ticket::State& state, const Companions& with) const {
  const UsePool use(held_->core->pool);
  const auto of_this_engine = [this](const LoadedModel& other, const std::string& name) {
    if (other.held_->core != held_->core) {
      fail(Fault::usage, "request: {} belongs to another engine; load it with this one", name);
    }
    return &other.held_->trained;
  };
  std::vector<const TrainedModel*> models = {&held_->trained};
  std::vector<std::string> names = {"the model"};
  for (const LoadedModel& other : with.ensemble) {
    names.push_back("number " + std::to_string(models.size() + 1) + " of the ensemble");
    models.push_back(of_this_engine(other, names.back()));
  }
  check_same_vocabularies(models, names);
  AnswerOptions options = answer_options(state.request().options, held_->trained.search);
  if (with.language_model) {
    const TrainedModel& language = *of_this_engine(*with.language_model, "the language model");
    check_language_model(language, held_->trained, "request: the language model");
    options.search.language_model = language.model.get();
  }
  state.begin(models, std::move(options));
}

std::vector<Answer> LoadedModel::translate(const Request& request) const {
  return translate(request, {});
}

std::vector<Answer> LoadedModel::translate(const Request& request, const Companions& with) const {
  const std::shared_ptr<Ticket::State> state = asked(request, with, {});
  begin(*state, with);
  return state->answer();
}

Ticket LoadedModel::submit(Request request, RequestWatcher watcher) const {
  return submit(std::move(request), Companions(), std::move(watcher));
}

Ticket LoadedModel::submit(Request request, const Companions& with, RequestWatcher watcher) const {
  Ticket ticket(asked(std::move(request), with, std::move(watcher)));
  try {
    begin(*ticket.state_, with);
  } catch (...) {
    ticket.state_->fail(std::current_exception());
    return ticket;
  }
  ticket.state_->submit();
  return ticket;
}

std::string LoadedModel::text_of(const std::vector<int32_t>& tokens) const {
  const Vocabulary& words = held_->trained.fields.target->vocabulary();
  for (const int32_t token : tokens) {
    if (token < 0 || static_cast<size_t>(token) >= words.size()) {
      fail(Fault::usage, "text_of: there is no token {}; choose 0 to {}", token, words.size() - 1);
    }
  }
  return words.decode(tokens);
}

Output LoadedModel::align(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  check_pair(*held_->trained.fields.source, source, target);
  Reply aligned = heed::align(held_->trained, Source::of_bytes(source), target, {});
  return output_of(aligned);
}

double LoadedModel::log_probability(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  check_pair(*held_->trained.fields.source, source, target);
  return score_pair(held_->trained, Source::of_bytes(source), target).log_probability;
}

std::map<std::string, std::string> LoadedModel::about() const { return held_->trained.about; }

int64_t LoadedModel::parameters() const { return count_parameters(*held_->trained.model); }

}  // namespace heed
