// A server's connections and what they share: the only file here that includes Boost.Asio.
#pragma once

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "heed/http/exchange_state.h"
#include "heed/http/request_parser.h"
#include "heed/http/server.h"

namespace heed {

namespace asio = boost::asio;
using asio::ip::tcp;
using SocketCode = boost::system::error_code;
using ServerClock = std::chrono::steady_clock;
template <class T>
using Awaitable = asio::awaitable<T>;
/// What is awaited returns its error code.
inline constexpr auto told = asio::as_tuple(asio::use_awaitable);

inline ServerClock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<ServerClock::duration>(std::chrono::duration<double>(seconds));
}

/// What all connections share. Everything in it happens on the thread of `run`.
struct HttpServer::Core {
  Core(const HttpServerOptions& wanted, HttpHandler& answering);
  ~Core();

  /// Lets other threads post to `io` as long as it is there.
  struct Gate {
    std::mutex guard;
    asio::io_context* io = nullptr;
  };

  Awaitable<void> accept();
  void welcome(tcp::socket socket);
  void drain(double grace_seconds);
  std::string next_id();
  const std::string& date();

  const HttpServerOptions options;
  const HttpLimits& limits = options.limits;
  HttpHandler& handler;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  uint16_t port = 0;
  asio::steady_timer pause{io};
  asio::steady_timer grace{io};
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  std::set<Connection*> connections;
  std::array<char, 65536> scratch{};  // every read goes here first
  std::size_t held = 0;               // bytes of requests
  bool is_draining = false;
  std::string id_start;
  uint64_t ids = 0;
  std::time_t dated = 0;
  std::string date_text;
};

/// One client. `run` is its story: requests are read and answered one after the other.
class HttpServer::Connection : public std::enable_shared_from_this<HttpServer::Connection> {
 public:
  Connection(Core& core, tcp::socket socket);

  Awaitable<void> run();
  /// The server ends: a client that has asked nothing is let go.
  void drain();
  void cut_off();
  void forget();

 private:
  using News = HttpExchange::State::News;
  static constexpr auto never = ServerClock::time_point::max();

  Awaitable<bool> read_request();
  Awaitable<bool> receive();
  Awaitable<void> refuse(const HttpRefusal& refusal);
  Awaitable<void> linger();
  Awaitable<bool> answer_request();
  Awaitable<bool> write_answer(const HttpExchange::State& asked);
  Awaitable<bool> write_stream(News news, bool is_chunked);
  Awaitable<std::optional<News>> next_news(bool comments);
  Awaitable<bool> write(std::string_view bytes);
  Awaitable<void> take_turns();
  std::optional<HttpRefusal> fault_of_request() const;
  ServerClock::duration time_of(RequestParser::Stage stage) const;
  HttpResponse not_answered(const HttpRequest& request);
  void note(const HttpRequest* request, double seconds);
  void hand_over();
  void watch();
  void look_ahead();
  void leave();
  void set_deadline(ServerClock::time_point deadline);
  void arm();
  void ring();
  void count_held();
  std::string head_of(const HttpResponse& response, bool keeps_alive, bool is_stream, int minor);

  Core& core_;
  tcp::socket socket_;
  asio::steady_timer alarm_;  // rings at the deadline or before
  asio::steady_timer news_;   // cancelled when there is news of the exchange
  ServerClock::time_point deadline_ = never;
  RequestParser parser_;
  std::shared_ptr<HttpExchange::State> state_;  // while a request is being answered
  std::string peer_;
  std::string id_;
  std::size_t counted_ = 0;  // of core_.held
  uint64_t sent_ = 0;
  int status_ = 0;
  unsigned turns_ = 0;
  bool is_armed_ = false;
  bool is_late_ = false;   // the deadline has passed
  bool is_idle_ = false;   // it waits for a request to begin
  bool has_left_ = false;  // the client
  bool watches_ = false;
};

}  // namespace heed
