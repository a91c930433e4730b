// Paths in recipes may begin with $HEED_DATA, the folder that holds the data.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// The path with $HEED_DATA at its beginning replaced by `folder`; Fault::usage if there is no folder.
/// `who` names the table of the recipe.
std::string in_data_folder(const std::string& path, const std::optional<std::string>& folder,
                           const std::string& who);

}  // namespace heed
