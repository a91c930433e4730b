// What an exchange and its connection share. The connection waits until `has_news`, and is woken by `wake`.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "heed/http/exchange.h"

namespace heed {

struct HttpExchange::State {
  State(HttpRequest asked, std::size_t stream_bytes, std::function<void()> woken)
      : request(std::move(asked)), wake(std::move(woken)), pieces(stream_bytes) {}

  /// What the connection has to write now.
  struct News {
    std::optional<HttpResponse> response;  // whole, or the head of a stream
    std::string piece;                     // of a stream
    bool is_stream = false;
    bool has_ended = false;     // nothing else will come
    bool is_abandoned = false;  // it went away before its end, possibly before its answer
  };
  /// Nothing if there is no news: then `wake` is called as soon as there is.
  std::optional<News> take_news();
  /// Nobody reads the answer any more.
  void leave() { left.request_stop(); }
  /// Changes what the connection sees, and wakes it.
  template <class Act>
  void change(Act&& act) {
    bool wakes = false;
    {
      const std::lock_guard lock(guard);
      wakes = act() && std::exchange(is_awaited, false);
    }
    if (wakes) {
      wake();
    }
  }

  const HttpRequest request;
  const std::function<void()> wake;  // may be called from any thread
  std::stop_source left;

  std::mutex guard;  // of what follows
  std::optional<HttpResponse> response;
  PieceQueue pieces;
  bool is_answered = false;
  bool is_stream = false;
  bool has_ended = false;
  bool is_abandoned = false;
  bool is_awaited = false;
};

}  // namespace heed
