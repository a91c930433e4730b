// A server of HTTP/1.1 on one address. One thread talks to all clients; a handler answers there or elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "heed/http/exchange.h"
#include "heed/http/limits.h"

namespace heed {

/// A request that was answered, for logs and figures.
struct HttpAccount {
  const HttpRequest* request = nullptr;  // without its body; null if its head was not understood
  std::string id;
  std::string peer;
  int status = 0;  // 499: the client left before its answer
  uint64_t sent = 0;
  double seconds = 0;  // from the end of the request to the end of the answer
};

/// Called by the talking thread, so its functions must return soon.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// A head has come, its body has not. May refuse the request, and may lower the limit of its body.
  virtual std::optional<HttpRefusal> admit(const HttpRequest& head, int64_t& body_bytes);
  /// A whole request: answers it, or hands the exchange to another thread.
  virtual void handle(HttpExchange exchange) = 0;
  /// The answer to a refused request; `head` is null if its head was not understood.
  virtual HttpResponse refused(const HttpRefusal& refusal, const HttpRequest* head);
  /// Adds the fields that every answer has; `head` is null if the request's head was not understood.
  virtual void dress(HttpResponse& answer, const HttpRequest* head);
  virtual void note(const HttpAccount& account);
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address
  uint16_t port = 8080;               // 0: one that is free
  HttpLimits limits = {};
};

class HttpServer {
 public:
  /// Listens from now on; an Error if the address is taken. The handler must outlive the server.
  HttpServer(const HttpServerOptions& options, HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  /// Talks to clients until it is stopped and has finished what it had accepted.
  void run();
  /// Accepts no more requests, finishes those it has, and lets `run` return after `grace_seconds` at
  /// the latest. May be called from any thread, and again with less grace.
  void stop(double grace_seconds);

 private:
  struct Core;
  class Connection;
  std::unique_ptr<Core> core_;
};

}  // namespace heed
