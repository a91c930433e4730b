#include "heed/cli/own_inputs.h"

#include <sys/stat.h>

#include "heed/base/error.h"

namespace heed {

void check_is_no_input(const std::string& verb, const std::string& output,
                       const std::vector<std::string>& inputs) {
  struct stat written {};
  if (output.empty() || stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) {
    return;
  }
  for (const std::string& input : inputs) {
    struct stat read {};
    if (!input.empty() && stat(input.c_str(), &read) == 0 && read.st_dev == written.st_dev &&
        read.st_ino == written.st_ino) {
      fail(Fault::usage,
           "{}: {} is read by this command, which would write over it; choose another name", verb,
           output);
    }
  }
}

}  // namespace heed
