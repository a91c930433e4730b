// The catalogue of feed policies. To add one: its file in feed_policy/, and its line in
// feed_policies.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/feed_policy.h"

namespace heed {

const Catalogue<FeedPolicy>& feed_policies();

}  // namespace heed
