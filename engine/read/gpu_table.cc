// Names are compared without case, blanks, punctuation and the words that vendors put in front. A
// size in the name counts in either kind of gigabyte: 8 percent of tolerance cover the difference
// and what the driver keeps for itself.
#include "engine/read/gpu_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/ascii.h"
#include "engine/text/closest_name.h"
#include "engine/text/yaml_reader.h"

namespace assay {
namespace {

// Lower-case words of letters and digits, without the vendor's.
std::vector<std::string> words_of(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kVendorWords = {
      "nvidia", "amd", "instinct", "geforce", "tesla", "gpu", "graphics", "radeon"};
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    const bool is_vendor =
        std::find(kVendorWords.begin(), kVendorWords.end(), word) != kVendorWords.end();
    if (!word.empty() && !is_vendor) words.push_back(word);
    word.clear();
  };
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    const bool is_part = (c >= 'a' && c <= 'z') || is_digit(c);
    if (is_part) {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

// Takes "141gb" or "141", "gb" from the end of `words`; the gigabytes, or nothing.
std::optional<double> take_memory(std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::string last = words.back();
  std::size_t used = 1;
  if ((last == "gb" || last == "gib") && words.size() > 1) {
    last = words[words.size() - 2] + last;
    used = 2;
  }
  const auto unit_at = last.find_first_not_of("0123456789");
  if (unit_at == 0 || unit_at == std::string::npos || unit_at > 4) return {};
  const std::string_view unit = std::string_view(last).substr(unit_at);
  if (unit != "g" && unit != "gb" && unit != "gib") return {};
  words.resize(words.size() - used);
  return std::stod(last.substr(0, unit_at));
}

bool has_memory(const Gpu& gpu, double gigabytes) {
  return gpu.memory_mib &&
         std::abs(static_cast<double>(*gpu.memory_mib) / (gigabytes * 1024) - 1) < 0.08;
}

class TableReader {
 public:
  std::optional<Gpu> read(const Entry& entry) {
    Gpu gpu;
    gpu.key = entry.key;
    for (const Entry& field : entry.value.entries) {
      if (field.key == "names") {
        for (const Node& name : field.value.items) gpu.names.push_back(name.text);
      } else if (field.key == "vendor") {
        gpu.vendor = field.value.text;
      } else if (field.key == "sm") {
        gpu.sm = number(field);
      } else if (field.key == "memory_mib") {
        gpu.memory_mib = number(field);
      } else if (field.key == "sm_count") {
        gpu.sm_count = number(field);
      } else {
        faults.push_back(
            make_error(code::unknown_key, field.key_span, "unknown key `" + field.key + "`"));
      }
    }
    for (const std::string_view key : {"names", "vendor", "sm", "memory_mib", "sm_count"})
      if (entry.value.find(key) == nullptr)
        faults.push_back(make_error(code::missing_key, entry.key_span,
                                    "`" + entry.key + "` has no `" + std::string(key) + "`"));
    return gpu;
  }

  Diagnostics faults;

 private:
  std::optional<std::int64_t> number(const Entry& field) {
    if (field.value.kind == NodeKind::null) return {};
    if (field.value.kind == NodeKind::integer) return field.value.integer;
    faults.push_back(make_error(code::wrong_type, field.value.span,
                                "`" + field.key + "` is an integer or null, this is " +
                                    std::string(to_string(field.value.kind))));
    return {};
  }
};

}  // namespace

Result<std::vector<Gpu>> read_gpu_table(const SourceSet& sources, SourceId source) {
  ASSAY_TRY(const Node document, read_yaml(sources, source));
  const Node* gpus = document.find("gpus");
  if (gpus == nullptr || gpus->kind != NodeKind::mapping)
    return make_error(code::missing_key, document.span, "a table of GPUs has the key `gpus`");
  TableReader reader;
  std::vector<Gpu> table;
  for (const Entry& entry : gpus->entries)
    if (auto gpu = reader.read(entry)) table.push_back(std::move(*gpu));
  if (!reader.faults.empty()) return std::move(reader.faults);
  return table;
}

std::vector<const Gpu*> find_gpus(const std::vector<Gpu>& table, std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const std::string whole = joined(words);
  const std::optional<double> memory = take_memory(words);
  const std::string base = joined(words);
  if (base.empty()) return {};
  std::vector<const Gpu*> exact, family;
  for (const Gpu& gpu : table) {
    const std::vector<std::string> key_words = words_of(gpu.key);
    const auto is_called = [&](const std::string& wanted) {
      return joined(key_words) == wanted ||
             std::any_of(gpu.names.begin(), gpu.names.end(), [&](const std::string& candidate) {
               return joined(words_of(candidate)) == wanted;
             });
    };
    if (is_called(whole)) return {&gpu};
    const bool fits = !memory || has_memory(gpu, *memory);
    if (!fits) continue;
    if (is_called(base)) exact.push_back(&gpu);
    if (key_words[0] == base) family.push_back(&gpu);
  }
  return exact.empty() ? family : exact;
}

}  // namespace assay
