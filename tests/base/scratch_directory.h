// A fresh directory for one test, removed with what is in it.
#pragma once

#include "heed/base/temporary_folder.h"

namespace heed {

using ScratchDirectory = TemporaryFolder;

}  // namespace heed
