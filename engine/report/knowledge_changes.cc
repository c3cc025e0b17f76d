// A field is compared as it would be shown: that is what a reader of the changes can see.
#include "engine/report/knowledge_changes.h"

#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/report/rule_text.h"

namespace assay {
namespace {

std::vector<std::string> changed_fields(const ErrorRecord& a, const ErrorRecord& b) {
  std::vector<std::string> fields;
  const auto compare = [&](const char* name, const auto& x, const auto& y) {
    if (!(x == y)) fields.emplace_back(name);
  };
  compare("message", a.error_message, b.error_message);
  compare("pattern", a.message_pattern, b.message_pattern);
  compare("slug", a.slug, b.slug);
  compare("severity", a.severity, b.severity);
  compare("exception class", a.error_class, b.error_class);
  compare("status", a.status, b.status);
  compare("meaning", a.documentation, b.documentation);
  compare("when it happens", std::tie(a.trigger_scenarios, a.common_situations),
          std::tie(b.trigger_scenarios, b.common_situations));
  compare("solutions", a.solutions, b.solutions);
  compare("example fix", a.example_fix, b.example_fix);
  compare("code", std::tie(a.validation_code, a.type_guard, a.try_catch_pattern),
          std::tie(b.validation_code, b.type_guard, b.try_catch_pattern));
  compare("prevention", a.prevention_tips, b.prevention_tips);
  compare("tags", std::tie(a.tags, a.background_tag), std::tie(b.tags, b.background_tag));
  return fields;
}

std::string fixes_text(const Rule& rule) {
  std::string text;
  for (const Fix& fix : rule.fixes) {
    for (const Assignment& assignment : fix.assignments) text += assignment_text(assignment) + "\n";
    text += fix.why + "\n";
  }
  return text;
}

std::vector<std::string> changed_fields(const Rule& a, const Rule& b) {
  std::vector<std::string> fields;
  const auto compare = [&](const char* name, const auto& x, const auto& y) {
    if (!(x == y)) fields.emplace_back(name);
  };
  compare("severity", a.severity, b.severity);
  compare("summary", a.summary, b.summary);
  compare("condition", rule_condition(a), rule_condition(b));
  compare("message", a.message, b.message);
  compare("step", std::tie(a.step, a.place), std::tie(b.step, b.place));
  compare("versions", a.versions, b.versions);
  compare("fixes", fixes_text(a), fixes_text(b));
  compare("record", a.error, b.error);
  compare("when to ignore it", a.ignore_when, b.ignore_when);
  compare("documentation", a.documentation, b.documentation);
  return fields;
}

template <class Item>
ItemChanges<Item> compare_items(const std::vector<const Item*>& older,
                                const std::vector<const Item*>& newer) {
  std::unordered_map<std::string_view, const Item*> before;
  for (const Item* item : older) before[item->id] = item;
  ItemChanges<Item> changes;
  for (const Item* item : newer) {
    const auto found = before.find(item->id);
    if (found == before.end()) {
      changes.added.push_back(item);
      continue;
    }
    std::vector<std::string> fields = changed_fields(*found->second, *item);
    if (!fields.empty()) changes.changed.push_back({item, std::move(fields)});
    before.erase(found);
  }
  for (const Item* item : older)
    if (before.contains(item->id)) changes.gone.push_back(item);
  return changes;
}

std::vector<const ErrorRecord*> all_records(const KnowledgeState& state) {
  std::vector<const ErrorRecord*> all;
  for (const ErrorRecord& record : state.dataset->records) all.push_back(&record);
  return all;
}

std::vector<const Rule*> all_rules(const KnowledgeState& state) {
  std::vector<const Rule*> all;
  for (const RulePack* pack : state.packs)
    for (const Rule& rule : pack->rules) all.push_back(&rule);
  return all;
}

}  // namespace

KnowledgeChanges compare_knowledge(const KnowledgeState& older, const KnowledgeState& newer) {
  return {older.dataset->version, newer.dataset->version,
          compare_items(all_records(older), all_records(newer)),
          compare_items(all_rules(older), all_rules(newer))};
}

}  // namespace assay
