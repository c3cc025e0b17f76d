// The pattern of `matches`: RE2 syntax over UTF-8, found anywhere in the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace assay {

class CelPattern {
 public:
  // An invalid pattern is kept with its fault: `error` is then not empty and nothing matches.
  explicit CelPattern(std::string_view pattern);
  CelPattern(CelPattern&&) noexcept;
  CelPattern& operator=(CelPattern&&) noexcept;
  ~CelPattern();

  const std::string& error() const { return error_; }
  bool matches(std::string_view text) const;
  std::string_view pattern() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string error_;
};

}  // namespace assay
