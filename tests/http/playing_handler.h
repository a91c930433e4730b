// A handler that does what a test says for each path, and remembers what it was told.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heed/http/server.h"

namespace heed::test {

class PlayingHandler : public HttpHandler {
 public:
  using Act = std::function<void(HttpExchange exchange)>;

  PlayingHandler& on(const std::string& path, Act act) {
    acts_[path] = std::move(act);
    return *this;
  }
  /// Keeps the exchange for the test to answer.
  PlayingHandler& keep(const std::string& path) {
    return on(path, [this](HttpExchange exchange) {
      const std::lock_guard lock(guard_);
      kept_.push_back(std::move(exchange));
    });
  }
  std::vector<HttpExchange> take_kept() {
    const std::lock_guard lock(guard_);
    return std::exchange(kept_, {});
  }
  std::size_t count_kept() {
    const std::lock_guard lock(guard_);
    return kept_.size();
  }
  /// The status of every request that is over.
  std::vector<int> noted() {
    const std::lock_guard lock(guard_);
    return noted_;
  }

  std::optional<HttpRefusal> admit(const HttpRequest& head, int64_t& body_bytes) override {
    if (head.path == "/small") {
      body_bytes = 10;
    }
    return acts_.contains(head.path)
               ? std::nullopt
               : std::optional(HttpRefusal{404, "there is nothing at " + head.path});
  }
  void handle(HttpExchange exchange) override {
    acts_.at(exchange.request().path)(std::move(exchange));
  }
  void note(const HttpAccount& account) override {
    const std::lock_guard lock(guard_);
    noted_.push_back(account.status);
  }

 private:
  std::map<std::string, Act> acts_;
  std::mutex guard_;
  std::vector<HttpExchange> kept_;
  std::vector<int> noted_;
};

/// Answers with the body of the request.
inline void echo(const HttpExchange& exchange) {
  exchange.answer({.type = "text/plain", .body = exchange.request().body});
}

}  // namespace heed::test
