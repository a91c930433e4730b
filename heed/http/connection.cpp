// Every co_await is a statement of its own: of one inside a condition, g++ 12 destroys what was never made.
#include "heed/http/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpServer::Connection::Connection(Core& core, tcp::socket socket)
    : core_(core),
      socket_(std::move(socket)),
      alarm_(core.io),
      news_(core.io),
      parser_(core.limits, [&core](const HttpRequest& head, int64_t& body_bytes) {
        return core.handler.admit(head, body_bytes);
      }) {
  SocketCode code;
  socket_.set_option(tcp::no_delay(true), code);
  const tcp::endpoint peer = socket_.remote_endpoint(code);
  peer_ = code ? "" : peer.address().to_string();
}

void HttpServer::Connection::drain() {
  SocketCode ignored;
  if (is_idle_) {
    socket_.cancel(ignored);
  }
}

void HttpServer::Connection::cut_off() {
  leave();
  SocketCode ignored;
  socket_.close(ignored);
}

void HttpServer::Connection::forget() {
  leave();
  SocketCode ignored;
  socket_.close(ignored);
  alarm_.cancel();
  core_.held -= std::exchange(counted_, 0);
  core_.connections.erase(this);
  if (core_.is_draining && core_.connections.empty()) {
    core_.grace.cancel();
  }
}

Awaitable<void> HttpServer::Connection::run() {
  for (bool goes_on = true; goes_on;) {
    goes_on = co_await read_request();
    if (goes_on) {
      goes_on = co_await answer_request();
    }
    if (goes_on) {
      parser_.next();
      co_await take_turns();
    }
  }
}

/// Lets other clients go on, after every few things that were done without waiting.
Awaitable<void> HttpServer::Connection::take_turns() {
  if (++turns_ % 16 == 0) {
    co_await asio::post(core_.io, asio::use_awaitable);
  }
}

/// False: the connection ends.
Awaitable<bool> HttpServer::Connection::read_request() {
  RequestParser::Stage before = RequestParser::Stage::done;
  bool is_told_to_go_on = false;
  while (parser_.stage() != RequestParser::Stage::done) {
    count_held();
    is_idle_ = parser_.stage() == RequestParser::Stage::empty;
    if (std::exchange(before, parser_.stage()) != parser_.stage()) {
      set_deadline(ServerClock::now() + time_of(parser_.stage()));
    }
    if (parser_.waits_for_continue() && !std::exchange(is_told_to_go_on, true)) {
      co_await write(go_on);
    }
    bool there_is_more = !(is_idle_ && core_.is_draining) && !fault_of_request();
    if (there_is_more) {
      there_is_more = co_await receive();
    }
    if (!there_is_more) {
      if (const std::optional<HttpRefusal> refusal = fault_of_request()) {
        co_await refuse(*refusal);
      }
      co_return false;
    }
  }
  count_held();
  is_idle_ = false;
  co_return true;
}

/// Why the present request is refused, as far as that is known.
std::optional<HttpRefusal> HttpServer::Connection::fault_of_request() const {
  if (parser_.stage() == RequestParser::Stage::refused) {
    return parser_.refusal();
  }
  if (core_.held > static_cast<std::size_t>(core_.limits.bodies_bytes)) {
    return HttpRefusal{
        503, "the server is reading too much at once; try again", {{"Retry-After", "1"}}};
  }
  if (is_late_ && !is_idle_) {
    return HttpRefusal{408, "the request did not arrive in time"};
  }
  return std::nullopt;
}

ServerClock::duration HttpServer::Connection::time_of(RequestParser::Stage stage) const {
  return duration_of(stage == RequestParser::Stage::empty  ? core_.limits.idle_seconds
                     : stage == RequestParser::Stage::head ? core_.limits.header_seconds
                                                           : core_.limits.body_seconds);
}

void HttpServer::Connection::count_held() {
  core_.held -= std::exchange(counted_, parser_.held());
  core_.held += counted_;
}

/// Hands what has come to the parser; false if there will be no more, or the deadline has passed.
Awaitable<bool> HttpServer::Connection::receive() {
  co_await take_turns();
  while (!is_late_ && !has_left_) {
    SocketCode code;
    const std::size_t count = socket_.read_some(asio::buffer(core_.scratch), code);
    if (!code) {
      parser_.put({core_.scratch.data(), count});
      co_return true;
    }
    if (code != asio::error::would_block) {
      co_return false;
    }
    const auto [failure] = co_await socket_.async_wait(tcp::socket::wait_read, told);
    if (failure) {
      co_return false;
    }
  }
  co_return false;
}

Awaitable<void> HttpServer::Connection::refuse(const HttpRefusal& refusal) {
  const HttpRequest& asked = parser_.request();
  const HttpRequest* const head = asked.method.empty() ? nullptr : &asked;
  HttpResponse response = core_.handler.refused(refusal, head);
  response.fields.insert(response.fields.end(), refusal.fields.begin(), refusal.fields.end());
  core_.handler.dress(response, head);
  id_ = core_.next_id();
  sent_ = 0;
  is_late_ = false;
  std::string bytes = head_of(response, false, false, 1);
  bytes += head != nullptr && head->method == "HEAD" ? "" : response.bytes();
  const bool is_sent = co_await write(bytes);
  note(head, 0);
  if (is_sent && refusal.status != 408) {
    co_await linger();
  }
}

/// A client that is still sending when its connection is closed may never read why it was refused: what it sends
/// is read and dropped for a while.
Awaitable<void> HttpServer::Connection::linger() {
  SocketCode code;
  socket_.shutdown(tcp::socket::shutdown_send, code);
  set_deadline(ServerClock::now() + duration_of(1));
  for (std::size_t reads = 0; reads < 64 && !is_late_; ++reads) {
    const auto [failure] = co_await socket_.async_wait(tcp::socket::wait_read, told);
    if (failure) {
      co_return;
    }
    socket_.read_some(asio::buffer(core_.scratch), code);
    if (code && code != asio::error::would_block) {
      co_return;
    }
  }
}

/// False: the connection ends.
Awaitable<bool> HttpServer::Connection::answer_request() {
  const auto began = ServerClock::now();
  set_deadline(never);
  id_ = core_.next_id();
  sent_ = 0;
  status_ = 499;
  hand_over();
  const std::shared_ptr<HttpExchange::State> asked = state_;
  const bool goes_on = co_await write_answer(*asked);
  asked->leave();
  state_.reset();
  const std::chrono::duration<double> took = ServerClock::now() - began;
  note(&asked->request, took.count());
  co_return goes_on;
}

void HttpServer::Connection::note(const HttpRequest* request, double seconds) {
  core_.handler.note({request, id_, peer_, status_, sent_, seconds});
}

void HttpServer::Connection::hand_over() {
  HttpRequest request = std::move(parser_.request());
  request.id = id_;
  request.peer = peer_;
  const auto wake = [gate = core_.gate, self = weak_from_this()] {
    const std::lock_guard lock(gate->guard);
    if (gate->io != nullptr) {
      asio::post(*gate->io, [self] {
        if (const auto there = self.lock()) {
          there->news_.cancel();
        }
      });
    }
  };
  state_ = std::make_shared<HttpExchange::State>(
      std::move(request), static_cast<std::size_t>(core_.limits.stream_bytes), wake);
  try {
    core_.handler.handle(HttpExchange(state_));
  } catch (const std::exception&) {
    return;  // the exchange has gone away, which is answered with 500
  }
}

std::string HttpServer::Connection::head_of(const HttpResponse& response, bool keeps_alive,
                                            bool is_stream, int minor) {
  status_ = response.status;
  return written_head(response, {.keeps_alive = keeps_alive,
                                 .is_chunked = is_stream && minor == 1,
                                 .is_measured = !is_stream,
                                 .id = id_,
                                 .date = core_.date()});
}

HttpResponse HttpServer::Connection::not_answered(const HttpRequest& request) {
  return core_.handler.refused({500, "the request was not answered"}, &request);
}

/// False: the connection ends.
Awaitable<bool> HttpServer::Connection::write_answer(const HttpExchange::State& asked) {
  std::optional<News> news = co_await next_news(false);
  if (!news) {
    co_return false;
  }
  if (!news->response) {
    news->response = not_answered(asked.request);
  }
  core_.handler.dress(*news->response, &asked.request);
  const HttpResponse& response = *news->response;
  const int minor = asked.request.minor;
  const bool is_head = asked.request.method == "HEAD";
  const bool keeps_alive = parser_.keeps_alive() && !core_.is_draining;
  std::string head = head_of(response, keeps_alive, news->is_stream, minor);
  const std::string_view body = is_head || news->is_stream ? "" : response.bytes();
  const bool is_small = body.size() <= 16384;
  head += is_small ? body : "";
  bool is_sent = co_await write(head);
  if (is_sent && !is_small) {
    is_sent = co_await write(body);
  }
  if (is_sent && news->is_stream && !is_head) {
    is_sent = co_await write_stream(*std::move(news), minor == 1);
  }
  co_return is_sent&& keeps_alive;
}

/// False if the stream did not reach its end.
Awaitable<bool> HttpServer::Connection::write_stream(News news, bool is_chunked) {
  const bool comments = news.response->type.starts_with("text/event-stream");
  for (;;) {
    std::string bytes = std::move(news.piece);
    if (is_chunked && !bytes.empty()) {
      bytes = fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
    }
    if (is_chunked && news.has_ended && !news.is_abandoned) {
      bytes += "0\r\n\r\n";
    }
    const bool is_sent = co_await write(bytes);
    if (!is_sent || news.has_ended) {
      co_return is_sent&& is_chunked && !news.is_abandoned;
    }
    std::optional<News> next = co_await next_news(comments);
    if (!next) {
      co_return false;
    }
    news = *std::move(next);
  }
}

/// What there is to write, as soon as there is something; nothing if the client has left.
Awaitable<std::optional<HttpExchange::State::News>> HttpServer::Connection::next_news(
    bool comments) {
  while (!has_left_) {
    if (std::optional<News> news = state_->take_news()) {
      co_return news;
    }
    watch();
    news_.expires_after(comments ? duration_of(core_.limits.silence_seconds)
                                 : std::chrono::hours(24));
    const auto [woken] = co_await news_.async_wait(told);
    if (!woken && comments) {
      News comment;
      comment.piece = ": still here\n\n";
      co_return comment;
    }
  }
  co_return std::nullopt;
}

/// While a request is being answered, looks out for a client that leaves.
void HttpServer::Connection::watch() {
  if (std::exchange(watches_, true)) {
    return;
  }
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](SocketCode code) {
    self->watches_ = false;
    if (!code && self->state_) {
      self->look_ahead();
    }
  });
}

/// Reads what the client sends before its answer, up to a limit: behind it may be the end.
void HttpServer::Connection::look_ahead() {
  const auto most = static_cast<std::size_t>(core_.limits.ahead_bytes);
  while (parser_.ahead() < most) {
    SocketCode code;
    const std::size_t room = std::min(core_.scratch.size(), most - parser_.ahead());
    const std::size_t count = socket_.read_some(asio::buffer(core_.scratch.data(), room), code);
    if (code == asio::error::would_block) {
      watch();
      return;
    }
    if (code) {
      leave();
      return;
    }
    parser_.put({core_.scratch.data(), count});
  }
}

void HttpServer::Connection::leave() {
  has_left_ = true;
  if (state_) {
    state_->leave();
  }
  news_.cancel();
  SocketCode ignored;
  socket_.cancel(ignored);
}

/// False if the client has left, or takes nothing for too long.
Awaitable<bool> HttpServer::Connection::write(std::string_view bytes) {
  while (!bytes.empty() && !has_left_) {
    SocketCode code;
    const std::size_t count = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), code);
    bytes.remove_prefix(count);
    sent_ += count;
    if (code && code != asio::error::would_block) {
      co_return false;
    }
    if (code) {
      const auto before = deadline_;
      set_deadline(ServerClock::now() + duration_of(core_.limits.write_seconds));
      const auto [failure] = co_await socket_.async_wait(tcp::socket::wait_write, told);
      if (failure || is_late_) {
        co_return false;
      }
      set_deadline(before);
    }
  }
  co_return bytes.empty();
}

void HttpServer::Connection::set_deadline(ServerClock::time_point deadline) {
  is_late_ = false;
  deadline_ = deadline;
  if (deadline != never && (!is_armed_ || deadline < alarm_.expiry())) {
    arm();
  }
}

void HttpServer::Connection::arm() {
  is_armed_ = true;
  alarm_.expires_at(deadline_);
  alarm_.async_wait([self = shared_from_this()](SocketCode code) {
    if (!code) {
      self->ring();
    }
  });
}

void HttpServer::Connection::ring() {
  is_armed_ = false;
  if (ServerClock::now() >= deadline_) {
    is_late_ = true;
    SocketCode ignored;
    socket_.cancel(ignored);
  } else if (deadline_ != never) {
    arm();
  }
}

}  // namespace heed
