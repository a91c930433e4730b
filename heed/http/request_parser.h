// From bytes to requests. It knows no socket: bytes are put in as they come, in pieces of any size, and
// the same bytes give the same requests and the same refusal.
//
// Boost.Beast's incremental parser understands the bytes. Before it stand our own guards (head_guard.h,
// chunk_guard.h), after it what the fields must say together (framing.h); it sees whole heads and whole
// lines of chunks only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "heed/http/framing.h"
#include "heed/http/head_guard.h"
#include "heed/http/limits.h"
#include "heed/http/request.h"

namespace heed {

class RequestParser {
 public:
  /// Called when a head is complete; may refuse the request, and may lower the limit of its body.
  using Admit =
      std::function<std::optional<HttpRefusal>(const HttpRequest& head, int64_t& body_bytes)>;
  /// empty: nothing of a request has come; done: there is one, which waits for `next`.
  enum class Stage { empty, head, body, done, refused };

  /// The limits must outlive it.
  explicit RequestParser(const HttpLimits& limits, Admit admit = {});
  explicit RequestParser(HttpLimits&& limits, Admit admit = {}) = delete;
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes bytes off the wire. What comes after the end of a request waits for `next`; what comes
  /// after a refusal is dropped.
  void put(std::string_view bytes);
  Stage stage() const { return stage_; }
  /// The client sends the body when it is told to go on.
  bool waits_for_continue() const;

  /// Of the stage done. Of others: what is known so far.
  HttpRequest& request() { return request_; }
  const HttpRefusal& refusal() const { return refusal_; }
  bool keeps_alive() const { return framing_.keeps_alive; }
  /// Bytes that it holds: of the body, and of what is not read yet.
  std::size_t held() const { return request_.body.size() + pending_.size(); }
  /// Bytes that wait for `next`.
  std::size_t ahead() const { return stage_ == Stage::done ? pending_.size() : 0; }

  /// Begins the next request with the bytes that wait.
  void next();

 private:
  class Wire;
  std::size_t advance(std::string_view bytes);
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  std::size_t take_chunks(std::string_view bytes);
  std::size_t refuse(HttpRefusal refusal);
  bool feed(std::string_view bytes);
  void end_of_head();

  const HttpLimits* limits_;
  Admit admit_;
  Stage stage_ = Stage::empty;
  HeadGuard guard_;
  std::unique_ptr<Wire> wire_;  // from the end of the head to the end of the body
  BodyFraming framing_;
  HttpRequest request_;
  HttpRefusal refusal_;
  std::string pending_;  // bytes that are not read yet
};

}  // namespace heed
