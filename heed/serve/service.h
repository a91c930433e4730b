// A server of models: it answers the requests of heed/http by the routes of the catalogue.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/http/server.h"
#include "heed/serve/door.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {

class Service : public HttpHandler {
 public:
  /// Receives one JSON object for every request: its id, route, status, bytes and milliseconds. It has
  /// no text of the request.
  using Log = std::function<void(const std::string& line)>;

  /// Listens from now on.
  Service(const ServeOptions& options, Engine engine, std::vector<ServedModel> models,
          std::string version, Log log);
  ~Service() override;

  uint16_t port() const { return server_->port(); }
  /// "http://127.0.0.1:8080"
  std::string url() const;
  /// Serves until it is stopped.
  void run() { server_->run(); }
  /// Takes no new work, and lets `run` return when what was accepted is done, or after a while. A second
  /// call ends it at once. May be called from any thread.
  void stop();

 private:
  std::optional<HttpRefusal> admit(const HttpRequest& head, int64_t& body_bytes) override;
  void handle(HttpExchange exchange) override;
  HttpResponse refused(const HttpRefusal& refusal, const HttpRequest* head) override;
  void dress(HttpResponse& answer, const HttpRequest* head) override;
  void note(const HttpAccount& account) override;
  void answer(const RouteTable::Entry& entry, const HttpExchange& exchange,
              std::chrono::steady_clock::time_point deadline);
  std::optional<HttpRefusal> refuse_path(const HttpRequest& head) const;
  const Route* usual(const RouteTable::Entry* entry) const;

  ServeState state_;
  RouteTable table_;
  std::map<const RouteTable::Entry*, std::unique_ptr<Route>> usual_;  // one of each, to ask
  Door door_;
  Log log_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace heed
