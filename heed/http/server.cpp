#include "heed/http/server.h"

#include <exception>
#include <random>
#include <utility>

#include "heed/base/error.h"
#include "heed/http/connection.h"

namespace heed {
namespace {

tcp::endpoint endpoint_of(const HttpServerOptions& options) {
  SocketCode code;
  const auto address = asio::ip::make_address(options.address, code);
  if (code) {
    fail(Fault::usage, "serve: {} is not an address; give one such as 127.0.0.1 or ::1",
         options.address);
  }
  return {address, options.port};
}

}  // namespace

HttpServer::Core::Core(const HttpServerOptions& wanted, HttpHandler& answering)
    : options(wanted), handler(answering) {
  const tcp::endpoint endpoint = endpoint_of(options);
  SocketCode code;
  acceptor.open(endpoint.protocol(), code);
  if (!code) {
    acceptor.set_option(tcp::acceptor::reuse_address(true), code);
    acceptor.bind(endpoint, code);
  }
  if (!code) {
    acceptor.listen(asio::socket_base::max_listen_connections, code);
  }
  if (code) {
    fail("serve: cannot listen on {} port {}: {}; choose another address or port", options.address,
         options.port, code.message());
  }
  port = acceptor.local_endpoint().port();
  gate->io = &io;
  std::random_device random;
  id_start = fmt::format("{:08x}", random());
}

HttpServer::Core::~Core() {
  const std::lock_guard lock(gate->guard);
  gate->io = nullptr;
}

std::string HttpServer::Core::next_id() { return fmt::format("{}-{:x}", id_start, ++ids); }

const std::string& HttpServer::Core::date() {
  if (const std::time_t now = std::time(nullptr); now != dated) {
    dated = now;
    date_text = http_date(now);
  }
  return date_text;
}

Awaitable<void> HttpServer::Core::accept() {
  while (!is_draining) {
    auto [code, socket] = co_await acceptor.async_accept(told);
    if (!code) {
      welcome(std::move(socket));
    } else if (!is_draining) {
      // Descriptors or memory are used up: whoever wants to connect waits for the others to go.
      pause.expires_after(std::chrono::milliseconds(50));
      co_await pause.async_wait(told);
    }
  }
}

void HttpServer::Core::welcome(tcp::socket socket) {
  SocketCode ignored;
  socket.non_blocking(true, ignored);
  if (connections.size() >= static_cast<std::size_t>(limits.connections)) {
    HttpResponse full =
        handler.refused({503, "there are too many connections; try again"}, nullptr);
    full.fields.push_back({"Retry-After", "1"});
    handler.dress(full, nullptr);
    const std::string bytes =
        written_head(full, {.keeps_alive = false, .date = date()}) + std::string(full.bytes());
    socket.write_some(asio::buffer(bytes), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    return;
  }
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections.insert(connection.get());
  asio::co_spawn(
      io, [connection] { return connection->run(); },
      [connection](const std::exception_ptr& /*what*/) { connection->forget(); });
}

void HttpServer::Core::drain(double grace_seconds) {
  is_draining = true;
  SocketCode ignored;
  acceptor.close(ignored);
  pause.cancel();
  for (Connection* const one : connections) {
    one->drain();
  }
  if (!connections.empty()) {
    grace.expires_after(duration_of(grace_seconds));
    grace.async_wait([this](SocketCode code) {
      for (auto one = connections.begin(); !code && one != connections.end(); ++one) {
        (*one)->cut_off();
      }
    });
  }
}

std::optional<HttpRefusal> HttpHandler::admit(const HttpRequest& /*head*/,
                                              int64_t& /*body_bytes*/) {
  return std::nullopt;
}

HttpResponse HttpHandler::refused(const HttpRefusal& refusal, const HttpRequest* /*head*/) {
  return {.status = refusal.status, .type = "text/plain", .body = refusal.reason + "\n"};
}

void HttpHandler::dress(HttpResponse& /*answer*/, const HttpRequest* /*head*/) {}

void HttpHandler::note(const HttpAccount& /*account*/) {}

HttpServer::HttpServer(const HttpServerOptions& options, HttpHandler& handler)
    : core_(std::make_unique<Core>(options, handler)) {}

HttpServer::~HttpServer() = default;

uint16_t HttpServer::port() const { return core_->port; }

void HttpServer::run() {
  asio::co_spawn(core_->io, core_->accept(), [](const std::exception_ptr& /*what*/) {});
  for (bool goes_on = true; goes_on;) {
    try {
      core_->io.run();
      goes_on = false;
    } catch (const std::exception&) {
      continue;  // it has ended one connection
    }
  }
}

void HttpServer::stop(double grace_seconds) {
  asio::post(core_->io, [core = core_.get(), grace_seconds] { core->drain(grace_seconds); });
}

}  // namespace heed
