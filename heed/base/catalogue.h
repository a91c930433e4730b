// The one list of a kind of thing: name, aliases, formula and factory of each, in the order a
// reader should meet them.
//
// Help, config checking, Python, docs and tests loop over it; nothing switches on a name. A
// catalogue is a function returning a static, so that no order of initialisation matters:
//
//   Catalogue<Score>& scores() {
//     static Catalogue<Score> all("score", {{"dot", {}, "qᵀk", HEED_MADE_BY(Score, dot)}, …});
//     return all;
//   }
//
// A program may add its own parts while it runs, from any thread. Entries are never removed, so a
// loop over them at that moment sees the new one or does not.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
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

/// The type of a function that makes a part.
template <class Part>
using Factory = std::unique_ptr<Part>();

/// Calls the function `factory` of namespace heed, which the part's own file defines, and declares
/// it here: no header has to name it, so a new part is one new file and one line of its catalogue.
#define HEED_MADE_BY(Part, factory) \
  [] {                              \
    Factory<Part> factory;          \
    return factory();               \
  }

template <class Part>
class Catalogue {
 public:
  struct Entry {
    std::string name;
    std::vector<std::string> aliases = {};
    std::string formula = {};
    std::function<std::unique_ptr<Part>()> make = {};
  };

 private:
  struct Link {
    explicit Link(Entry one) : entry(std::move(one)) {}
    Entry entry;
    std::atomic<const Link*> next = nullptr;
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    Iterator() = default;
    explicit Iterator(const Link* at) : at_(at) {}
    reference operator*() const { return at_->entry; }
    pointer operator->() const { return &at_->entry; }
    Iterator& operator++() {
      at_ = at_->next.load(std::memory_order_acquire);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Link* at_ = nullptr;
  };

  Catalogue(std::string name, std::initializer_list<Entry> entries) : name_(std::move(name)) {
    for (const Entry& entry : entries) {
      add(entry);
    }
  }

  /// Adds a program's own part. Fault::usage if its name or an alias is taken.
  void add(Entry entry) {
    const std::lock_guard lock(guard_);
    check(entry);
    const Link& added = links_.emplace_back(std::move(entry));
    std::atomic<const Link*>& end = last_ == nullptr ? first_ : last_->next;
    end.store(&added, std::memory_order_release);
    last_ = &links_.back();
  }

  /// The kind of thing that is listed, such as "score".
  const std::string& name() const { return name_; }
  Iterator begin() const { return Iterator(first_.load(std::memory_order_acquire)); }
  Iterator end() const { return Iterator(); }
  std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Entry& entry : *this) {
      all.push_back(entry.name);
    }
    return all;
  }

  Listing listing() const {
    Listing all{name_, {}};
    for (const Entry& entry : *this) {
      all.entries.push_back({entry.name, entry.aliases, entry.formula});
    }
    return all;
  }

  /// Finds an entry by name or alias; null when there is none.
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : *this) {
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
  void check(const Entry& entry) const {
    if (!entry.make) {
      fail(Fault::usage, "{}: \"{}\" has no factory; give it one", name_, entry.name);
    }
    std::vector<std::string> claimed = entry.aliases;
    claimed.push_back(entry.name);
    for (std::size_t i = 0; i < claimed.size(); ++i) {
      if (claimed[i].empty()) {
        fail(Fault::usage, "{}: a name is empty; give it one", name_);
      }
      bool is_taken = find(claimed[i]) != nullptr;
      for (std::size_t j = 0; j < i; ++j) {
        is_taken = is_taken || claimed[j] == claimed[i];
      }
      if (is_taken) {
        fail(Fault::usage, "{}: \"{}\" is listed twice; rename one of them", name_, claimed[i]);
      }
    }
  }

  std::vector<std::string> all_aliases() const {
    std::vector<std::string> all;
    for (const Entry& entry : *this) {
      all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
    }
    return all;
  }

  std::string name_;
  std::mutex guard_;        // guards adding
  std::deque<Link> links_;  // the entries; readers follow the links
  Link* last_ = nullptr;
  std::atomic<const Link*> first_ = nullptr;
};

}  // namespace heed
