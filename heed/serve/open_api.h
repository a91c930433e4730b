// The list of routes as an OpenAPI document.
#pragma once

#include "heed/base/json.h"
#include "heed/serve/serve_state.h"

namespace heed {

/// OpenAPI 3.1, from the catalogue of routes and the settings of each.
Json open_api(const ServeState& state);

}  // namespace heed
