// What a request asks of a model: which one, with which options, and in which form. What comes back is,
// byte for byte, what the command line prints with --json.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "heed/api/ticket.h"
#include "heed/engine/answer/answer_options.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/engine/answer/source_pieces.h"
#include "heed/serve/serve_state.h"

namespace heed {

class ServedInquiry {
 public:
  explicit ServedInquiry(const AnswerKind& kind);

  /// The fields: model, the options as the command line has them, the form.
  void describe(Describer& d, const ServeOptions& limits);
  /// Finds the model, once the fields are what `given` says. Options of search that are not given are
  /// those that the model wants.
  void choose(const Json& given, const ServeState& state);

  /// The same without fields: this model, and so many answers to each source.
  void ask_for(const ServedModel& model, int64_t n_best);

  /// How messages and transcripts call a source, and its bytes.
  struct Asked {
    std::string name;
    std::string bytes;
  };
  /// Called when the sources are read and cut, before they are searched.
  using Started = std::function<void(const std::vector<std::vector<Piece>>& pieces)>;
  /// Hands the sources to the engine, which answers them beside those of others.
  Ticket submit(const std::vector<Asked>& all, std::stop_token stop,
                std::chrono::steady_clock::time_point deadline, RequestWatcher watcher,
                const Started& started) const;
  /// One line of JSON for each source, when the ticket is done. Throws what it failed with.
  std::vector<std::string> lines_of(Ticket& ticket, const std::vector<Asked>& all);
  const LoadedModel& model() const { return served_->model; }
  const std::string& name() const { return served_->name; }
  /// About the sources, for people.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void fit(const Json& given);
  void check(const TrainedModel& trained) const;
  void choose_form(const TrainedModel& trained);
  std::string written_line(const std::vector<Reply>& best, const std::string& name,
                           int64_t number) const;

  const AnswerKind* kind_;
  std::string model_;
  AnswerOptions options_;
  bool samples_ = false;
  std::string alignment_ = "hard";
  const ServedModel* served_ = nullptr;
  WriterOptions writer_;
  std::vector<std::string> warnings_;
};

}  // namespace heed
