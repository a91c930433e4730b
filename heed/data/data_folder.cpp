#include "heed/data/data_folder.h"

#include "heed/base/error.h"

namespace heed {

std::string in_data_folder(const std::string& path, const std::optional<std::string>& folder,
                           const std::string& who) {
  const std::string variable = "$HEED_DATA";
  if (!path.starts_with(variable)) {
    return path;
  }
  if (!folder) {
    fail(Fault::usage,
         "{}: {} needs the variable HEED_DATA, the folder that holds the data; set "
         "HEED_DATA=/path/to/data",
         who, path);
  }
  return *folder + path.substr(variable.size());
}

}  // namespace heed
