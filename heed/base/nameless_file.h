// A file without a name: it is gone with the process, however that ends.
#pragma once

#include <string>

#include "heed/base/descriptor.h"

namespace heed {

/// A new file on the folder's disk, for reading and writing. Not open, with the reason in errno, where it cannot be made.
Descriptor nameless_file(const std::string& folder);

/// The folder for such files where nobody names another.
std::string temporary_folder();

}  // namespace heed
