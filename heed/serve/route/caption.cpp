// POST /v1/caption: what a picture shows, a JPEG or PNG file in the body.
#include "heed/serve/answer_route.h"
#include "heed/serve/routes.h"

namespace heed {

std::unique_ptr<Route> caption_route() { return std::make_unique<AnswerRoute>("caption"); }

}  // namespace heed
