// The pattern of `matches`: RE2 syntax over UTF-8, found anywhere in the text. It is compiled when
// it is first asked anything, so that keeping one costs next to nothing. Safe to share between
// threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace assay {

class CelPattern {
 public:
  explicit CelPattern(std::string_view pattern);
  CelPattern(CelPattern&&) noexcept;
  CelPattern& operator=(CelPattern&&) noexcept;
  ~CelPattern();

  // Why RE2 refuses it; then nothing matches. Empty for a valid pattern.
  const std::string& error() const;
  bool matches(std::string_view text) const;
  std::string_view pattern() const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace assay
