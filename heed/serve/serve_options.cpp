#include "heed/serve/serve_options.h"

namespace heed {

void ServeOptions::describe(Describer& d) {
  describe_door(d);
  describe_requests(d);
  describe_connections(d);
}

void ServeOptions::describe_door(Describer& d) {
  d.setting("address", address,
            {"the IPv4 or IPv6 address to listen on; one that others can reach needs a key"});
  d.setting("port", port,
            {.help = "the port to listen on; 0: one that is free", .least = 0, .most = 65'535});
  d.setting("insecure", is_insecure, {"let others ask without a key"});
  d.setting("host", hosts,
            {"a further name by which clients call this server; may be repeated. Requests for "
             "other hosts are refused, because a page elsewhere may have sent them"});
  d.setting(
      "origin", origins,
      {"a page of another server that may ask, such as https://example.org; may be repeated"});
  d.setting("rate", rate,
            {.help = "requests a second that one client may send, by its key or address; 0: any "
                     "number",
             .least = 0,
             .most = 1e6});
  d.setting("burst", burst,
            {.help = "requests that one client may send at once where there is a rate",
             .least = 1,
             .most = 1e6});
}

void ServeOptions::describe_requests(Describer& d) {
  d.setting("json_bytes", json_bytes,
            {.help = "most bytes of a request in JSON", .least = 1000, .most = 1e8});
  d.setting("json_depth", json_depth,
            {.help = "how deep a request in JSON is nested at most", .least = 2, .most = 64});
  d.setting("texts", texts, {.help = "most texts of a request", .least = 1, .most = 10'000});
  d.setting("text_bytes", text_bytes,
            {.help = "most bytes of each text of a request", .least = 1, .most = 1e7});
  d.setting("most_beam", most_beam,
            {.help = "the widest beam that a request may ask for", .least = 1, .most = 1024});
  d.setting(
      "most_n_best", most_n_best,
      {.help = "most answers to a text that a request may ask for", .least = 1, .most = 1024});
  d.setting("queue", queue,
            {.help = "requests that wait or are being answered; further ones are told to try again",
             .least = 1,
             .most = 100'000});
  d.setting("map_cells", map_cells,
            {.help = "most cells of an attention map: its rows times its columns",
             .least = 1,
             .most = 1 << 20});
  d.setting("map_bytes", map_bytes,
            {.help = "most bytes of the attention maps of an answer", .least = 1, .most = 1e9});
  d.setting("request_seconds", request_seconds,
            {.help = "how long a request may take", .least = 0.1, .most = 86'400});
  d.setting("drain_seconds", drain_seconds,
            {.help = "how long requests may go on after the server was told to end",
             .least = 0,
             .most = 86'400});
}

void ServeOptions::describe_connections(Describer& d) {
  d.setting("header_bytes", http.header_bytes,
            {.help = "most bytes of a request line and its fields", .least = 512, .most = 1 << 20});
  d.setting("header_fields", http.header_fields,
            {.help = "most fields of a request", .least = 4, .most = 10'000});
  d.setting("upload_bytes", http.body_bytes,
            {.help = "most bytes of a request's body", .least = 1000, .most = 1e9});
  d.setting("bodies_bytes", http.bodies_bytes,
            {.help = "most bytes of the bodies of all requests", .least = 1000, .most = 1e12});
  d.setting("ahead_bytes", http.ahead_bytes,
            {.help = "most bytes that are read of a client that has not got its answer",
             .least = 1,
             .most = 1e7});
  d.setting(
      "stream_bytes", http.stream_bytes,
      {.help = "most bytes of a stream that wait for a slow client, before events are left out",
       .least = 1000,
       .most = 1e9});
  d.setting("connections", http.connections,
            {.help = "most clients at a time", .least = 1, .most = 1e6});
  d.setting("header_seconds", http.header_seconds,
            {.help = "how long a request's head may take to arrive", .least = 0.1, .most = 3600});
  d.setting("body_seconds", http.body_seconds,
            {.help = "how long a request's body may take to arrive", .least = 0.1, .most = 3600});
  d.setting(
      "write_seconds", http.write_seconds,
      {.help = "how long a client may take nothing of its answer", .least = 0.1, .most = 3600});
  d.setting(
      "idle_seconds", http.idle_seconds,
      {.help = "how long a client may be silent between two requests", .least = 0.1, .most = 3600});
  d.setting("silence_seconds", http.silence_seconds,
            {.help = "how long a stream is silent before it says that it is still there",
             .least = 0.1,
             .most = 3600});
}

}  // namespace heed
