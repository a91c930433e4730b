// A model that answers. It is a handle: copies share the model. Any number of threads may ask it at
// once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heed/api/request.h"

namespace heed {

class LoadedModel {
 public:
  /// One answer for each text, in order.
  std::vector<Answer> translate(const Request& request) const;
  /// Where the model looks when it is made to say `target`.
  Output align(const std::string& source, const std::string& target) const;
  /// log p(target | source), the end included.
  double log_probability(const std::string& source, const std::string& target) const;

  /// What its file says of it: languages, recipe, score, licence …
  std::map<std::string, std::string> about() const;
  int64_t parameters() const;

 private:
  friend class Engine;
  struct Held;
  explicit LoadedModel(std::shared_ptr<const Held> held) : held_(std::move(held)) {}

  std::shared_ptr<const Held> held_;
};

}  // namespace heed
