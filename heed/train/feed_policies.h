// The catalogue of feed policies. To add one: its file in feed_policy/, and its line in
// feed_policies.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/feed_policy.h"

namespace heed {

std::unique_ptr<FeedPolicy> right_words();
std::unique_ptr<FeedPolicy> random_words();
std::unique_ptr<FeedPolicy> scheduled_sampling();

const Catalogue<FeedPolicy>& feed_policies();

}  // namespace heed
