// A model that an engine has loaded. It is a handle: copies share the model. Any number of threads
// may use it at once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/api/request.h"
#include "heed/api/request_watcher.h"
#include "heed/api/ticket.h"

namespace heed {

struct Companions;

class LoadedModel {
 public:
  /// Returns one answer for each source of the request, in their order.
  std::vector<Answer> translate(const Request& request) const;
  /// The same, answered together with other models of the same engine.
  std::vector<Answer> translate(const Request& request, const Companions& with) const;
  /// Hands a request to the engine, which answers it on a thread of its own, and returns. Sources are
  /// read and decoded before it returns. Requests that are under way at the same time share batches; so
  /// do those of threads that call `translate`. Whatever fails comes out of Ticket::wait.
  Ticket submit(Request request, RequestWatcher watcher = {}) const;
  Ticket submit(Request request, const Companions& with, RequestWatcher watcher = {}) const;

  /// The weights of the model when its output is forced to be `target`. The source is bytes, as in
  /// a request.
  Output align(const std::string& source, const std::string& target) const;
  /// log p(target | source), including the end of the target.
  double log_probability(const std::string& source, const std::string& target) const;

  /// What the model file says about the model: languages, recipe, score, licence and so on.
  std::map<std::string, std::string> about() const;
  int64_t parameters() const;
  /// The text of tokens that a watcher has heard, as far as they say it.
  std::string text_of(const std::vector<int32_t>& tokens) const;

 private:
  friend class Engine;
  friend struct ModelInside;
  struct Held;
  std::shared_ptr<Ticket::State> asked(Request request, const Companions& with,
                                       RequestWatcher watcher) const;
  void begin(Ticket::State& state, const Companions& with) const;
  explicit LoadedModel(std::shared_ptr<const Held> held) : held_(std::move(held)) {}

  std::shared_ptr<const Held> held_;
};

/// Other models that help one to answer.
struct Companions {
  /// They have the same vocabularies, of whatever kinds they are, and their predictions are
  /// averaged (the setting `ensemble` says how).
  std::vector<LoadedModel> ensemble = {};
  /// It has the same target vocabulary, and its log-probabilities are added (the setting
  /// `lm_weight` weighs them).
  std::optional<LoadedModel> language_model = {};
};

}  // namespace heed
