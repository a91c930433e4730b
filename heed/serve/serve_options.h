// The settings of a server, with names, ranges, defaults and help: the command line and docs/serve.md read
// the same list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/config/described.h"
#include "heed/http/limits.h"

namespace heed {

struct ServeOptions : Described {
  void describe(Describer& d) override;

  std::string address = "127.0.0.1";
  int64_t port = 8080;
  bool is_insecure = false;          // others may ask without a key
  std::vector<std::string> hosts;    // names besides the address and localhost
  std::vector<std::string> origins;  // pages of other servers that may ask
  double rate = 0;                   // requests a second of one client; 0: any number
  int64_t burst = 20;                // requests of one client at once

  int64_t json_bytes = 1'000'000;
  int64_t json_depth = 32;
  int64_t texts = 64;
  int64_t text_bytes = 65'536;
  int64_t most_beam = 16;
  int64_t most_n_best = 8;
  int64_t queue = 256;
  int64_t map_cells = 262'144;     // of one head
  int64_t map_bytes = 16'777'216;  // of an answer
  double request_seconds = 60;
  double drain_seconds = 30;
  HttpLimits http;

  // What the caller gives; these are no settings.
  std::vector<std::string> keys;  // any of them lets a client in; none: nobody is asked for one

 private:
  void describe_door(Describer& d);
  void describe_requests(Describer& d);
  void describe_connections(Describer& d);
};

}  // namespace heed
