// Arrays of bash: NAME=(...), NAME+=(...) and "${NAME[@]}". The elements keep their places, so that
// what is wrong with one is shown, and mended, where it is written. What is only appended in a
// branch leaves the elements from before it known, with others behind them that nobody sees.
//
// Not followed: single elements, slices, arrays with keys.
#include <utility>

#include "engine/text/shell_splitter.h"

namespace assay::shell {
namespace {

std::string element_key(const std::string& name) { return name + "[@]"; }

std::size_t bytes_of(const std::vector<ShellWord>& words) {
  std::size_t bytes = words.size() * sizeof(ShellWord);
  for (const ShellWord& word : words) bytes += word.text().size();
  return bytes;
}

}  // namespace

// Behind `NAME=`, at the parenthesis.
void ShellSplitter::begin_array(std::string name, std::size_t begin, bool is_appended) {
  ++at_;
  open_array_ = OpenArray{std::move(name), begin, is_appended};
  is_in_command_ = true;
  command_begin_ = command_end_ = begin;
}

void ShellSplitter::end_array(bool is_closed) {
  end_word();
  OpenArray open = *std::exchange(open_array_, {});
  if (is_closed) ++at_;
  is_in_command_ = false;
  if (reach_end_ > 0) open.begin = std::min(open.begin, reach_begin_);
  reach_end_ = 0;
  command_.array = open.name;
  command_.span = place(open.begin, at_);
  command_.export_count = script_.exports.size();
  tell_broken_lines();
  const bool has_keys = !command_.words.empty() && command_.words.front().text().starts_with('[') &&
                        command_.words.front().text().find("]=") != std::string::npos;
  if (is_closed && !has_keys) {
    store_array(open, command_.words);
  } else {
    forget_variable(open.name);
  }
  script_.commands.push_back(std::move(command_));
  command_ = {};
}

void ShellSplitter::store_array(const OpenArray& open, std::vector<ShellWord> words) {
  const std::string key = element_key(open.name);
  Array array;
  array.begin = open.begin;
  array.end = at_;
  if (open.is_appended) {
    const FoundArray before = find_array(open.name);
    const bool is_new =
        before.array == nullptr && !scopes_.may_be_set(key) && !scopes_.may_be_set(open.name);
    const bool is_certain = is_new || (before.array != nullptr && before.is_certain);
    if (!is_certain) return scopes_.forget(key);
    if (before.array != nullptr && expanded_bytes_ <= kMaxExpandedBytes) {
      array.words = before.array->words;
      array.begin = std::min(array.begin, before.array->begin);
    }
  }
  std::move(words.begin(), words.end(), std::back_inserter(array.words));
  expanded_bytes_ += array.bytes = bytes_of(array.words);
  if (array.words.size() > kMaxArrayWords || expanded_bytes_ > kMaxExpandedBytes)
    return forget_variable(open.name);
  arrays_.push_back(std::move(array));
  scopes_.forget(open.name);  // the first element, as a word of its own
  scopes_.set(key, std::to_string(arrays_.size() - 1));
  if (!open.is_appended) array_bases_[open.name] = {arrays_.size() - 1, scopes_.place()};
}

void ShellSplitter::forget_array(const std::string& name) {
  const std::string key = element_key(name);
  if (scopes_.may_be_set(key)) scopes_.forget(key);
  array_bases_.erase(name);
}

ShellSplitter::FoundArray ShellSplitter::find_array(const std::string& name) const {
  if (const std::string* index = scopes_.find(element_key(name)))
    return {&arrays_[std::stoul(*index)], true};
  const auto base = array_bases_.find(name);
  if (base == array_bases_.end() || !scopes_.is_within(base->second.second)) return {};
  return {&arrays_[base->second.first], false};
}

bool ShellSplitter::read_elements(const std::string& name, std::string_view operation,
                                  std::size_t begin, std::size_t end, bool is_in_quotes) {
  // ${NAME[@]+"${NAME[@]}"} is how an empty one is kept from being an error.
  const bool is_all = operation == "[@]" || operation == "[*]" || operation.starts_with("[@]+");
  if (!is_all || (operation == "[*]" && is_in_quotes)) return false;
  const bool is_alone = is_in_quotes ? word_.text().empty() && t_.substr(begin - 1, 1) == "\"" &&
                                           t_.substr(end, 1) == "\""
                                     : !is_in_word_;
  const auto [array, is_certain] = is_alone ? find_array(name) : FoundArray();
  if (array == nullptr || expanded_bytes_ + array->bytes > kMaxExpandedBytes) return false;
  expanded_bytes_ += array->bytes;
  is_in_word_ = false;  // the word that the quote opened
  if (!is_in_command_ && !array->words.empty()) {
    is_in_command_ = true;
    is_list_continued_ = false;
    command_begin_ = begin - (is_in_quotes ? 1 : 0);
  }
  script_.expanded_arrays.insert(name);
  const bool has_reach = reach_end_ > 0;
  reach_begin_ = has_reach ? std::min(reach_begin_, array->begin) : array->begin;
  reach_end_ = std::max(has_reach ? reach_end_ : 0, array->end);
  command_end_ = std::max(command_end_, end + (is_in_quotes ? 1 : 0));
  word_count_ += array->words.size();
  for (const ShellWord& word : array->words) command_.words.push_back(word);
  at_ = end;
  if (!is_certain) {
    add_unresolved(begin, end);
    if (!is_in_quotes) return true;
    word_begin_ = begin - 1;
  }
  return true;
}

}  // namespace assay::shell
