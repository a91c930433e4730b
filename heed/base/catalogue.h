// The one list of a kind of thing: name, aliases, formula and factory of each, in the order a
// reader should meet them.
//
// Help, config checking, Python, docs and tests loop over it; nothing switches on a name. A
// catalogue is a function returning a static, so that no order of initialisation matters:
//
//   const Catalogue<Score>& scores() {
//     static const Catalogue<Score> all("score", {{"dot", {"luong"}, "q.k", dot}, …});
//     return all;
//   }
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/suggest.h"

namespace heed {

/// `score: saw "aditive", needs one of dot, additive; did you mean "additive"?`, Fault::usage.
[[noreturn]] void fail_unknown_name(std::string_view catalogue, std::string_view name,
                                    const std::vector<std::string>& names,
                                    const std::vector<std::string>& aliases);

/// A catalogue without the type of its things: what help and tables print.
struct Listing {
  struct Entry {
    std::string name;
    std::vector<std::string> aliases;
    std::string formula;
  };
  std::string name;
  std::vector<Entry> entries;
};

template <class Part>
class Catalogue {
 public:
  struct Entry {
    std::string name;
    std::vector<std::string> aliases;
    std::string formula;
    std::unique_ptr<Part> (*make)();
  };

  Catalogue(std::string name, std::initializer_list<Entry> entries)
      : name_(std::move(name)), entries_(entries) {
    std::vector<std::string> seen;
    for (const Entry& entry : entries_) {
      require(entry.make != nullptr, "{}: saw \"{}\" without a factory, needs one; give it", name_,
              entry.name);
      claim(entry.name, seen);
      for (const std::string& alias : entry.aliases) {
        claim(alias, seen);
      }
    }
  }

  /// The kind of thing that is listed, such as "score".
  const std::string& name() const { return name_; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      all.push_back(entry.name);
    }
    return all;
  }

  Listing listing() const {
    Listing all{name_, {}};
    for (const Entry& entry : entries_) {
      all.entries.push_back({entry.name, entry.aliases, entry.formula});
    }
    return all;
  }

  /// Finds an entry by name or alias; null when there is none.
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.name == name) {
        return &entry;
      }
      for (const std::string& alias : entry.aliases) {
        if (alias == name) {
          return &entry;
        }
      }
    }
    return nullptr;
  }

  /// Finds an entry by name or alias; an unknown name is an Error that suggests a known one.
  const Entry& at(std::string_view name) const {
    const Entry* entry = find(name);
    if (entry == nullptr) {
      fail_unknown_name(name_, name, names(), all_aliases());
    }
    return *entry;
  }

  std::unique_ptr<Part> make(std::string_view name) const { return at(name).make(); }

 private:
  void claim(const std::string& name, std::vector<std::string>& seen) const {
    for (const std::string& other : seen) {
      require(other != name, "{}: saw \"{}\" listed twice, needs one; rename one of them", name_,
              name);
    }
    require(!name.empty(), "{}: saw an empty name, needs a name; give it one", name_);
    seen.push_back(name);
  }

  std::vector<std::string> all_aliases() const {
    std::vector<std::string> all;
    for (const Entry& entry : entries_) {
      all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
    }
    return all;
  }

  std::string name_;
  std::vector<Entry> entries_;
};

}  // namespace heed
