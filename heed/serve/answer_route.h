// The routes that answer sources: translate, caption, transcribe, label.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/route.h"
#include "heed/serve/served_inquiry.h"

namespace heed {

/// Texts come in JSON. Pictures and recordings are the body, and the options are in the query.
class AnswerRoute : public Route {
 public:
  explicit AnswerRoute(std::string_view verb);

  void describe(Describer& d) override;
  Reads reads() const override;
  bool is_quick() const override { return false; }
  std::vector<std::string> gives() const override;
  void prepare(const ServeState& state) override;
  void read(const Json& fields, const ServeState& state) override;
  void answer(const HttpExchange& exchange, ServeState& state) override;

 private:
  std::vector<ServedInquiry::Asked> sources(const HttpRequest& request,
                                            const ServeOptions& limits) const;

  const AnswerKind* kind_;
  ServedInquiry inquiry_;
  std::vector<std::string> texts_;
  std::string name_;
  bool streams_ = false;
  bool is_list_ = false;  // several texts were given, or a list of one
  const ServeOptions* limits_ = nullptr;
};

}  // namespace heed
