// A request that waits for its answer. It may be answered from any thread, at once or later, whole or as a
// stream; copies share it. One that goes away without an answer is answered with 500.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "heed/http/piece_queue.h"
#include "heed/http/request.h"
#include "heed/http/response.h"

namespace heed {

class HttpExchange {
 public:
  struct State;  // what the connection sees (exchange_state.h)
  explicit HttpExchange(std::shared_ptr<State> state);

  const HttpRequest& request() const;
  /// Asked to stop when the client has gone or the server ends: nobody reads the answer any more.
  std::stop_token left() const;

  /// Something that goes when the last copy does. Before the first copy is made.
  void keep(std::shared_ptr<const void> thing) const;

  /// The whole answer. Only the first answer counts.
  void answer(HttpResponse response) const;
  /// Begins a stream: the head of the answer, whose body comes in pieces.
  void begin(HttpResponse head) const;
  /// False if nobody reads the stream any more.
  bool send(std::string piece, StreamPiece kind) const;
  /// The last piece, which always arrives.
  void end(std::string last) const;

 private:
  struct Grip;  // ends the exchange when its last copy goes
  std::shared_ptr<Grip> grip_;
};

}  // namespace heed
