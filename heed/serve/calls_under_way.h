// The requests that are being answered by others than the clerk, who goes on meanwhile.
#pragma once

#include <memory>
#include <mutex>
#include <set>

namespace heed {

class CallUnderWay {
 public:
  virtual ~CallUnderWay() = default;
  /// Gives it up, and waits until the engine knows nothing of it.
  virtual void end() = 0;
};

/// Has them as long as they are under way.
class CallsUnderWay {
 public:
  void add(std::shared_ptr<CallUnderWay> call);
  void remove(const std::shared_ptr<CallUnderWay>& call);
  /// Ends all that are there.
  void end();

 private:
  mutable std::mutex guard_;
  std::set<std::shared_ptr<CallUnderWay>> calls_;
};

}  // namespace heed
