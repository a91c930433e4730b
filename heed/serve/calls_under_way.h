// The requests that are being answered.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>

namespace heed {

class AnswerCall;

/// Has them as long as they are under way; those that are there at its end are cancelled.
class CallsUnderWay {
 public:
  void add(std::shared_ptr<AnswerCall> call);
  void remove(const std::shared_ptr<AnswerCall>& call);
  std::size_t size() const;

 private:
  mutable std::mutex guard_;
  std::set<std::shared_ptr<AnswerCall>> calls_;
};

}  // namespace heed
