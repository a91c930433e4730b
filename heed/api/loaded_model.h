// A model that an engine has loaded. It is a handle: copies share the model. Any number of threads may
// use it at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heed/api/request.h"

namespace heed {

class LoadedModel {
 public:
  /// Returns one answer for each text of the request, in their order.
  std::vector<Answer> translate(const Request& request) const;
  /// The weights of the model when its output is forced to be `target`.
  Output align(const std::string& source, const std::string& target) const;
  /// log p(target | source), including the end of the target.
  double log_probability(const std::string& source, const std::string& target) const;

  /// What the model file says about the model: languages, recipe, score, licence and so on.
  std::map<std::string, std::string> about() const;
  int64_t parameters() const;

 private:
  friend class Engine;
  struct Held;
  explicit LoadedModel(std::shared_ptr<const Held> held) : held_(std::move(held)) {}

  std::shared_ptr<const Held> held_;
};

}  // namespace heed
