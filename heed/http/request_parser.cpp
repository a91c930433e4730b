#include "heed/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <utility>
#include <variant>

#include "heed/http/chunk_guard.h"
#include "heed/http/letters.h"

namespace heed {

/// Beast's parser of one request, which writes what it understands into a request.
class RequestParser::Wire : public boost::beast::http::basic_parser<true> {
 public:
  Wire(HttpRequest& to, std::size_t header_bytes) : to_(&to) {
    eager(false);
    body_limit(boost::none);  // the bytes on the wire are counted before it
    header_limit(static_cast<std::uint32_t>(header_bytes));
  }

  ChunkGuard chunks;
  uint64_t chunk_left = 0;  // bytes of the present chunk that are to come
  uint64_t came = 0;        // bytes of the body on the wire
  int64_t most = 0;

 private:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;
  static std::string text_of(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(boost::beast::http::verb /*verb*/, Text method, Text target, int version,
                       Code& /*code*/) override {
    to_->method = text_of(method);
    to_->target = text_of(target);
    to_->minor = version % 10;
  }
  void on_field_impl(boost::beast::http::field /*field*/, Text name, Text value,
                     Code& /*code*/) override {
    const std::string given = text_of(name);
    to_->fields.push_back({lower_case(given), text_of(value)});
  }
  std::size_t on_body_impl(Text bytes, Code& /*code*/) override {
    to_->body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  std::size_t on_chunk_body_impl(uint64_t /*left*/, Text bytes, Code& code) override {
    return on_body_impl(bytes, code);
  }
  void on_response_impl(int /*status*/, Text /*reason*/, int /*version*/, Code& /*c*/) override {}
  void on_header_impl(Code& /*code*/) override {}
  void on_body_init_impl(const boost::optional<uint64_t>& /*length*/, Code& /*code*/) override {}
  void on_chunk_header_impl(uint64_t /*size*/, Text /*extensions*/, Code& /*code*/) override {}
  void on_finish_impl(Code& /*code*/) override {}

  HttpRequest* to_;
};

RequestParser::RequestParser(const HttpLimits& limits, Admit admit)
    : limits_(&limits), admit_(std::move(admit)), guard_(limits) {}

RequestParser::~RequestParser() = default;

void RequestParser::put(std::string_view bytes) {
  if (stage_ == Stage::refused) {
    return;
  }
  if (pending_.empty()) {
    const std::size_t taken = advance(bytes);
    pending_ = stage_ == Stage::refused ? "" : bytes.substr(taken);
    return;
  }
  pending_ += bytes;
  const std::size_t taken = advance(pending_);
  pending_.erase(0, stage_ == Stage::refused ? pending_.size() : taken);
}

void RequestParser::next() {
  stage_ = Stage::empty;
  guard_ = HeadGuard(*limits_);
  wire_.reset();
  framing_ = BodyFraming();
  request_ = HttpRequest();
  const std::string waiting = std::exchange(pending_, {});
  put(waiting);
}

bool RequestParser::waits_for_continue() const {
  return stage_ == Stage::body && framing_.expects_continue && wire_->came == 0 && pending_.empty();
}

std::size_t RequestParser::refuse(HttpRefusal refusal) {
  refusal_ = std::move(refusal);
  stage_ = Stage::refused;
  framing_.keeps_alive = false;
  wire_.reset();
  return 0;
}

/// How many bytes were taken; the others are to be shown again, with more.
std::size_t RequestParser::advance(std::string_view bytes) {
  std::size_t taken = 0;
  while (stage_ != Stage::done && stage_ != Stage::refused) {
    const std::string_view rest = bytes.substr(taken);
    if (rest.empty()) {
      break;
    }
    const std::size_t more = stage_ != Stage::body                         ? take_head(rest)
                             : framing_.body == BodyFraming::Body::chunked ? take_chunks(rest)
                                                                           : take_body(rest);
    if (more == 0) {
      break;
    }
    taken += more;
  }
  return taken;
}

std::size_t RequestParser::take_head(std::string_view bytes) {
  stage_ = Stage::head;
  const std::size_t length = guard_.look(bytes);
  if (guard_.refusal()) {
    return refuse(*guard_.refusal());
  }
  if (length == 0) {
    return 0;
  }
  wire_ = std::make_unique<Wire>(request_, length + 1);
  if (!feed(bytes.substr(guard_.skipped(), length - guard_.skipped()))) {
    return refuse({400, "the head of the request cannot be understood"});
  }
  end_of_head();
  return length;
}

/// Beast has read the head.
void RequestParser::end_of_head() {
  auto framing = framing_of(request_);
  if (auto* const refusal = std::get_if<HttpRefusal>(&framing)) {
    refuse(std::move(*refusal));
    return;
  }
  framing_ = std::get<BodyFraming>(framing);
  if (auto refusal = split_target(request_)) {
    refuse(*std::move(refusal));
    return;
  }
  wire_->most = limits_->body_bytes;
  if (auto refusal = admit_ ? admit_(request_, wire_->most) : std::nullopt) {
    refuse(*std::move(refusal));
  } else if (framing_.length > static_cast<uint64_t>(wire_->most)) {
    refuse({413, "the body is longer than " + std::to_string(wire_->most) + " bytes"});
  } else {
    const bool has_body = framing_.body == BodyFraming::Body::chunked || framing_.length > 0;
    stage_ = has_body ? Stage::body : Stage::done;
  }
}

/// Hands bytes to Beast; false unless it takes all of them.
bool RequestParser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    boost::beast::error_code code;
    const std::size_t used = wire_->put(boost::asio::buffer(bytes.data(), bytes.size()), code);
    bytes.remove_prefix(used);
    const bool wants_more = code == boost::beast::http::error::need_more && bytes.empty();
    if ((code && !wants_more) || (used == 0 && !bytes.empty())) {
      return false;
    }
  }
  return true;
}

std::size_t RequestParser::take_body(std::string_view bytes) {
  const std::string_view own = bytes.substr(0, framing_.length - wire_->came);
  if (!feed(own)) {
    return refuse({400, "the body of the request cannot be understood"});
  }
  wire_->came += own.size();
  if (wire_->came == framing_.length) {
    stage_ = Stage::done;
  }
  return own.size();
}

/// The line of a chunk, or bytes of one.
std::size_t RequestParser::take_chunks(std::string_view bytes) {
  Wire& wire = *wire_;
  std::size_t length = std::min<uint64_t>(wire.chunk_left, bytes.size());
  const bool is_line = length == 0;
  if (is_line) {
    length = wire.chunks.look(bytes);
    if (wire.chunks.refusal()) {
      return refuse(*wire.chunks.refusal());
    }
    if (length == 0) {
      return 0;
    }
    const uint64_t room = static_cast<uint64_t>(wire.most) - wire.came;
    if (length > room || wire.chunks.size() > room - length) {
      return refuse({413, "the body is longer than " + std::to_string(wire.most) + " bytes"});
    }
  }
  if (!feed(bytes.substr(0, length))) {
    return refuse({400, "a chunk of the request cannot be understood"});
  }
  wire.came += length;
  wire.chunk_left = is_line ? wire.chunks.size() : wire.chunk_left - length;
  if (is_line && wire.chunks.size() == 0) {
    stage_ = Stage::done;
  } else if (wire.chunk_left == 0) {
    wire.chunks.next();
  }
  return length;
}

}  // namespace heed
