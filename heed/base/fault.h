// One exception for everything a user or caller can get wrong: `who: saw X, needs Y; do Z`.
#pragma once

#include <stdexcept>
#include <string>

namespace heed {

/// What kind of fault it was; the value is the exit code of the command line.
enum class Fault {
  runtime = 1,      // it failed while running
  usage = 2,        // a wrong option, setting or name
  file = 3,         // a bad model, vocabulary or input file
  diverged = 4,     // training found no finite loss
  disk = 5,         // nothing could be written
  cancelled = 130,  // somebody asked it to stop
};

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Fault fault = Fault::runtime)
      : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace heed
