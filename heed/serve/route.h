// A route is what a server does for one method and path. A fresh one is made for every request: its settings
// are the fields of the request, so that checks, help and documents come from one list.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/catalogue.h"
#include "heed/config/described.h"
#include "heed/http/exchange.h"

namespace heed {

struct ServeState;

class Route : public Described {
 public:
  /// Where the fields are: in the query; in a body of JSON; in the query, while the body is the bytes of
  /// a file; in JSON, a form or the query, whichever a client likes; in a form with a file.
  enum class Reads { query, json, bytes, form, upload };

  void describe(Describer& /*d*/) override {}
  virtual Reads reads() const { return Reads::query; }
  /// Whether those who have a key are asked for it.
  virtual bool needs_key() const { return true; }
  /// Whether it is answered at once, on the thread that talks to the clients. Else on one that may wait.
  virtual bool is_quick() const { return true; }
  /// The types of its answers.
  virtual std::vector<std::string> gives() const { return {"application/json"}; }
  /// A key among the fields, in place of one in the head; nothing: none is looked for there.
  virtual std::optional<std::string> own_key() const { return std::nullopt; }
  /// How the clients of this route are told that they are refused.
  virtual HttpResponse fault(int status, const std::string& message) const;
  virtual HttpResponse fault(const std::exception& what) const;
  /// What is possible depends on the server: its limits, which `describe` shows, and its models.
  virtual void prepare(const ServeState& /*state*/) {}
  /// Reads the fields of the request, a tree of values. Throws all that is wrong with them at once.
  virtual void read(const Json& fields, const ServeState& state);
  /// Its settings are what the request says. What it throws is answered (fault_answer.h).
  virtual void answer(const HttpExchange& exchange, ServeState& state) = 0;

  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }

 protected:
  /// When its answer is of no use any more.
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }

 private:
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace heed
