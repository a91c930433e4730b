#include "heed/http/exchange.h"

#include <utility>

#include "heed/http/exchange_state.h"

namespace heed {

struct HttpExchange::Grip {
  explicit Grip(std::shared_ptr<State> held) : state(std::move(held)) {}
  Grip(const Grip&) = delete;
  Grip& operator=(const Grip&) = delete;
  ~Grip();

  std::shared_ptr<State> state;
  std::shared_ptr<const void> kept;
};

HttpExchange::Grip::~Grip() {
  state->change([this] {
    state->is_abandoned = !std::exchange(state->has_ended, true);
    return state->is_abandoned;
  });
}

std::optional<HttpExchange::State::News> HttpExchange::State::take_news() {
  const std::lock_guard lock(guard);
  if (!response && pieces.bytes() == 0 && !has_ended) {
    is_awaited = true;
    return std::nullopt;
  }
  News news;
  news.response = std::exchange(response, std::nullopt);
  news.piece = pieces.take();
  news.is_stream = is_stream;
  news.has_ended = has_ended;
  news.is_abandoned = is_abandoned;
  return news;
}

HttpExchange::HttpExchange(std::shared_ptr<State> state)
    : grip_(std::make_shared<Grip>(std::move(state))) {}

const HttpRequest& HttpExchange::request() const { return grip_->state->request; }

std::stop_token HttpExchange::left() const { return grip_->state->left.get_token(); }

void HttpExchange::keep(std::shared_ptr<const void> thing) const { grip_->kept = std::move(thing); }

void HttpExchange::answer(HttpResponse response) const {
  State& state = *grip_->state;
  state.change([&] {
    if (std::exchange(state.is_answered, true)) {
      return false;
    }
    state.response = std::move(response);
    state.has_ended = true;
    return true;
  });
}

void HttpExchange::begin(HttpResponse head) const {
  State& state = *grip_->state;
  state.change([&] {
    if (std::exchange(state.is_answered, true)) {
      return false;
    }
    state.response = std::move(head);
    state.is_stream = true;
    return true;
  });
}

bool HttpExchange::send(std::string piece, StreamPiece kind) const {
  State& state = *grip_->state;
  if (state.left.stop_requested()) {
    return false;
  }
  bool is_open = false;
  state.change([&] {
    is_open = state.is_stream && !state.has_ended;
    if (is_open) {
      state.pieces.add(std::move(piece), kind);
    }
    return is_open;
  });
  return is_open;
}

void HttpExchange::end(std::string last) const {
  State& state = *grip_->state;
  state.change([&] {
    if (!state.is_stream || std::exchange(state.has_ended, true)) {
      return false;
    }
    state.pieces.add(std::move(last), StreamPiece::kept);
    return true;
  });
}

}  // namespace heed
