// The catalogue of routes: the one list. To add one: its file in route/, and its line in routes.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/route.h"

namespace heed {

/// The names are methods and paths, such as "POST /v1/translate".
const Catalogue<Route>& routes();

/// Finds routes by method and path.
class RouteTable {
 public:
  using Entry = Catalogue<Route>::Entry;

  RouteTable();
  /// Null where there is none; HEAD is answered as GET is.
  const Entry* find(std::string_view method, std::string_view path) const;
  /// Of any method.
  const Entry* find(std::string_view path) const;
  /// "GET, HEAD, OPTIONS": what a path takes; empty where there is no such path.
  std::string allowed(std::string_view path) const;

 private:
  std::map<std::string, std::map<std::string, const Entry*, std::less<>>, std::less<>> by_path_;
};

/// "POST" and "/v1/translate" of a route's name.
std::string method_of(const std::string& route);
std::string path_of(const std::string& route);

}  // namespace heed
