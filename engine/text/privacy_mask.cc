// One walk over the text: at each place where a word begins, the forms that may begin there are
// tried in order, and the first that fits writes its mask. What decides is form and surroundings,
// never a list of names, so a host name in the middle of a sentence is not found: what quotes logs
// takes the prefixes of carriers off first.
#include "engine/text/privacy_mask.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxWord = 4096;

bool is_name(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-'; }
bool is_host(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.'; }
bool is_secret(char c) { return is_name(c) || c == '.' || c == '+' || c == '/' || c == '='; }

bool starts_with_folded(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(),
                                                  [](char w, char t) { return w == to_lower(t); });
}

template <typename Is>
std::size_t length_while(std::string_view text, Is is) {
  std::size_t length = 0;
  while (length < text.size() && length < kMaxWord && is(text[length])) ++length;
  return length;
}

bool is_public_host(std::string_view host) {
  static constexpr std::array<std::string_view, 14> kPublic{
      "localhost",   "huggingface.co", "hf.co",      "github.com",  "githubusercontent.com",
      "pytorch.org", "nvidia.com",     "python.org", "pypi.org",    "modelscope.cn",
      "docker.io",   "readthedocs.io", "vllm.ai",    "pydantic.dev"};
  return std::any_of(kPublic.begin(), kPublic.end(), [&](std::string_view known) {
    return host == known || (host.size() > known.size() && host.ends_with(known) &&
                             host[host.size() - known.size() - 1] == '.');
  });
}

bool is_private_ending(std::string_view host) {
  static constexpr std::array<std::string_view, 9> kEndings{".internal", ".local",   ".lan",
                                                            ".corp",     ".intra",   ".localdomain",
                                                            ".home",     ".cluster", ".svc"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return host.ends_with(ending); });
}

class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!mask_here()) out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool is_word_start() const {
    return at_ == 0 || !(is_name(text_[at_ - 1]) || text_[at_ - 1] == '.');
  }

  void put(std::string_view mask, std::size_t length) {
    out_ += mask;
    at_ += length;
  }
  void copy(std::size_t length) {
    out_ += text_.substr(at_, length);
    at_ += length;
  }

  bool mask_here() {
    const char c = text_[at_];
    if (c == '/' || c == '\\') return mask_user() || mask_url();
    if (c == '@') return mask_host_behind_at();
    if (!is_word_start()) return false;
    if (is_name(c) || c == '-')
      if (mask_token() || mask_assigned_secret() || mask_named_host() || mask_nccl_host())
        return true;
    return mask_address_4() || mask_address_6() || mask_private_host();
  }

  // "/home/NAME/", "/Users/NAME/", "\Users\NAME\"
  bool mask_user() {
    static constexpr std::array<std::string_view, 4> kHeads{"/home/", "/users/", "\\users\\",
                                                            "\\\\users\\\\"};
    for (const std::string_view head : kHeads) {
      if (!starts_with_folded(rest(), head)) continue;
      const std::string_view behind = rest().substr(head.size());
      const std::size_t length =
          length_while(behind, [](char c) { return is_name(c) || c == '.' || c == '@'; });
      if (length == 0) return false;
      copy(head.size());
      put("<user>", length);
      return true;
    }
    return false;
  }

  // "//user:secret@host:port/"
  bool mask_url() {
    if (!rest().starts_with("//") || at_ == 0 || text_[at_ - 1] != ':') return false;
    const std::string_view behind = rest().substr(2);
    const std::size_t authority = std::min(behind.find_first_of("/?# \t\"'<>)],"), behind.size());
    const auto at_sign = behind.substr(0, authority).rfind('@');
    copy(2);
    if (at_sign != std::string_view::npos) {
      put("<token>", at_sign);
      copy(1);
    }
    const std::size_t length = length_while(rest(), is_host);
    const std::string_view host = rest().substr(0, length);
    const bool is_numeric = host.find_first_not_of("0123456789.") == std::string_view::npos;
    const bool is_kept = length == 0 || is_numeric || is_public_host(host);
    if (is_kept) return true;  // an address is looked at next
    put("<host>", length);
    return true;
  }

  bool mask_host_behind_at() {
    const std::string_view behind = rest().substr(1);
    const std::size_t length = length_while(behind, is_host);
    const bool follows_user = at_ > 0 && is_name(text_[at_ - 1]);
    if (!follows_user || length < 2 || !is_letter(behind[0])) return false;
    const std::string_view host = behind.substr(0, length);
    if (host.find('.') == std::string_view::npos && host.find('-') == std::string_view::npos)
      return false;  // a decorator, a tag
    const auto is_of_name = [](char letter) { return is_name(letter) || letter == '.'; };
    while (!out_.empty() && is_of_name(out_.back())) out_.pop_back();
    if (!out_.ends_with("<user>")) out_ += "<user>";
    copy(1);
    put("<host>", length);
    return true;
  }

  bool mask_token() {
    struct Form {
      std::string_view head;
      std::size_t least;  // characters behind the head
    };
    static constexpr std::array<Form, 13> kForms{{{"hf_", 16},
                                                  {"api_org_", 16},
                                                  {"sk-", 16},
                                                  {"ghp_", 16},
                                                  {"gho_", 16},
                                                  {"ghs_", 16},
                                                  {"github_pat_", 16},
                                                  {"glpat-", 12},
                                                  {"xoxb-", 12},
                                                  {"xoxp-", 12},
                                                  {"AKIA", 12},
                                                  {"eyJ", 24},
                                                  {"nvapi-", 16}}};
    for (const Form& form : kForms) {
      if (!rest().starts_with(form.head)) continue;
      const std::size_t length = length_while(rest().substr(form.head.size()), is_secret);
      if (length < form.least) continue;
      put("<token>", form.head.size() + length);
      return true;
    }
    if (!starts_with_folded(rest(), "bearer ")) return false;
    const std::size_t length = length_while(rest().substr(7), is_secret);
    if (length < 6) return false;
    copy(7);
    put("<token>", length);
    return true;
  }

  // The separator between a key and its value ("=", ": ", "': '", " " behind a flag); 0: none.
  std::size_t separator_behind(std::size_t key, bool is_flag) const {
    const std::string_view behind = rest().substr(key);
    std::size_t length = 0;
    while (length < behind.size() && (behind[length] == '"' || behind[length] == '\'')) ++length;
    if (length < behind.size() && (behind[length] == '=' || behind[length] == ':')) {
      ++length;
      while (length < behind.size() &&
             (behind[length] == ' ' || behind[length] == '"' || behind[length] == '\''))
        ++length;
      return length;
    }
    if (!is_flag || length != 0 || !behind.starts_with(' ')) return 0;
    while (length < behind.size() &&
           (behind[length] == ' ' || behind[length] == '"' || behind[length] == '\''))
      ++length;
    return length;
  }

  // Whether the word at `at_` is a key that one of `names` ends, with a value behind it; then the
  // key and the separator are copied, and `value` is the value's length.
  template <std::size_t N>
  bool take_key(const std::array<std::string_view, N>& names, std::size_t& value) {
    const std::size_t key = length_while(rest(), is_name);
    std::string word(rest().substr(0, std::min<std::size_t>(key, 80)));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c == '-' ? '_' : to_lower(c); });
    const bool is_named = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return word.ends_with(name) &&
             (word.size() == name.size() || word[word.size() - name.size() - 1] == '_');
    });
    if (!is_named) return false;
    const std::size_t separator = separator_behind(key, word.starts_with("__"));
    if (separator == 0) return false;
    const std::string_view behind = rest().substr(key + separator);
    value = length_while(behind, [](char c) {
      return c > ' ' && c != '"' && c != '\'' && c != ',' && c != ')' && c != '}' && c != '&' &&
             c != ';' && c != ']';
    });
    const std::string_view text = behind.substr(0, value);
    if (value == 0 || text == "None" || text == "null" || text.starts_with('<') ||
        text.starts_with('$') || text.starts_with("--"))
      return false;
    copy(key + separator);
    return true;
  }

  bool mask_assigned_secret() {
    static constexpr std::array<std::string_view, 12> kNames{
        "api_key",  "apikey", "token",     "secret",     "password",          "passwd",
        "auth_key", "pwd",    "signature", "credential", "secret_access_key", "access_key"};
    std::size_t value = 0;
    if (!take_key(kNames, value)) return false;
    const std::string_view text = rest().substr(0, value);
    // "token: 17" counts something.
    const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_number && text.size() < 8)
      copy(value);
    else
      put("<token>", value);
    return true;
  }

  bool mask_named_host() {
    static constexpr std::array<std::string_view, 8> kNames{
        "host", "hostname", "node_name", "nodename", "pod", "pod_name", "master_addr", "init_addr"};
    std::size_t value = 0;
    if (!take_key(kNames, value)) return false;
    const std::string_view text = rest().substr(0, value);
    const std::size_t length = length_while(text, is_host);
    const std::string_view host = text.substr(0, length);
    const bool is_word = length > 1 && is_letter(host[0]) && !is_public_host(host) &&
                         (length == text.size() || text[length] == ':');
    if (is_word) put("<host>", length);
    return true;
  }

  // "host:pid:tid [gpu] NCCL"
  bool mask_nccl_host() {
    const std::size_t length = length_while(rest(), [](char c) { return is_host(c) || c == '_'; });
    std::string_view behind = rest().substr(length);
    for (int i = 0; i < 2; ++i) {
      if (!behind.starts_with(':')) return false;
      const std::size_t digits = length_while(behind.substr(1), is_digit);
      if (digits < (i == 0 ? 2u : 1u)) return false;
      behind.remove_prefix(1 + digits);
    }
    if (length < 2 || !is_letter(text_[at_]) || !behind.starts_with(" [")) return false;
    put("<host>", length);
    return true;
  }

  bool mask_address_4() {
    if (!is_digit(text_[at_])) return false;
    std::size_t length = 0;
    for (int part = 0; part < 4; ++part) {
      const std::size_t digits = length_while(rest().substr(length), is_digit);
      if (digits == 0 || digits > 3) return false;
      length += digits;
      if (part == 3) break;
      if (length >= rest().size() || rest()[length] != '.') return false;
      ++length;
    }
    const std::string_view behind = rest().substr(length);
    if (!behind.empty() &&
        (is_name(behind[0]) || (behind[0] == '.' && behind.size() > 1 && is_digit(behind[1]))))
      return false;
    const std::string_view address = rest().substr(0, length);
    if (address.starts_with("127.") || address == "0.0.0.0" || is_version()) return false;
    put("<address>", length);
    return true;
  }

  // "version 9.1.0.70", "==12.8.0.1"
  bool is_version() const {
    const std::string_view before = text_.substr(at_ < 12 ? 0 : at_ - 12, at_ < 12 ? at_ : 12);
    return before.ends_with("==") || before.ends_with("version ") ||
           before.ends_with("version: ") || before.ends_with("version=") ||
           before.ends_with(">=") || before.ends_with("Version ");
  }

  bool mask_address_6() {
    const auto is_part = [](char c) {
      return is_digit(c) || c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    const std::size_t length = length_while(rest(), is_part);
    const std::string_view address = rest().substr(0, length);
    const auto colons = std::count(address.begin(), address.end(), ':');
    const bool has_gap = address.find("::") != std::string_view::npos;
    if (colons < 2 || (colons < 7 && !has_gap) || length < 6) return false;
    const std::string_view behind = rest().substr(length);
    if (!behind.empty() && (is_name(behind[0]) || behind[0] == ':')) return false;
    put("<address>", length);
    return true;
  }

  bool mask_private_host() {
    if (!is_letter(text_[at_]) && !is_digit(text_[at_])) return false;
    std::size_t length = length_while(rest(), is_host);
    while (length > 0 && rest()[length - 1] == '.') --length;
    const std::string_view host = rest().substr(0, length);
    const bool is_cloud_name = host.starts_with("ip-") && length > 10 && is_digit(host[3]);
    if (host.find('.') == std::string_view::npos ? !is_cloud_name
                                                 : !is_private_ending(host) && !is_cloud_name)
      return false;
    put("<host>", length);
    return true;
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string mask_private(std::string_view text) { return Masker(text).run(); }

}  // namespace assay
