// A client of one connection that does what it is told, and the server that it talks to.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "heed/http/server.h"

namespace heed::test {

/// A server on a free port, with its thread.
class Served {
 public:
  explicit Served(HttpHandler& handler, const HttpLimits& limits = {})
      : server_({.port = 0, .limits = limits}, handler), thread_([this] { server_.run(); }) {}
  ~Served() { stop(0); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  uint16_t port() const { return server_.port(); }
  HttpServer& server() { return server_; }
  /// Returns when the server has ended.
  void stop(double grace_seconds) {
    server_.stop(grace_seconds);
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  HttpServer server_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_open() const { return is_open_; }
  int number() const { return socket_; }
  /// False once the server takes no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// What has come as soon as `end` is in it, or when nothing more comes.
  std::string receive_until(std::string_view end) {
    while (received_.find(end) == std::string::npos && receive_some()) {
    }
    const auto at = received_.find(end);
    std::string text = received_.substr(0, at == std::string::npos ? at : at + end.size());
    received_.erase(0, text.size());
    return text;
  }
  /// Everything until the server closes the connection.
  std::string receive_all() {
    while (receive_some()) {
    }
    return std::exchange(received_, {});
  }
  void finish_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) {
      ::close(std::exchange(socket_, -1));
    }
  }

 private:
  bool receive_some() {
    std::string some(65536, '\0');
    const ssize_t count = ::recv(socket_, some.data(), some.size(), 0);
    received_.append(some, 0, count < 0 ? 0 : static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  bool is_open_ = false;
  std::string received_;
};

/// Waits until it holds, for 20 s at most.
inline bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 20'000; ++i) {
    if (holds()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return holds();
}

inline std::string get(const std::string& path, const std::string& fields = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

inline std::string post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace heed::test
