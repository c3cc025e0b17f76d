// The index knows one walk: a raw launch of the version that the pack takes by default. Other
// versions have other rules, and a resolved launch starts from other values; they run every rule.
#include "engine/evaluate/check_workspace.h"

namespace assay {
namespace {

// By position: the rules of `version` that run on a launch of that stage. A version that cannot be
// read has all.
std::vector<bool> enabled_rules(const CompiledPack& pack, const std::string& version,
                                LaunchStage stage) {
  const auto parsed = parse_version(version);
  std::vector<bool> enabled(pack.rules().size());
  for (std::uint32_t at = 0; at < enabled.size(); ++at) {
    const CompiledRule& rule = pack.rules()[at];
    const bool is_run =
        stage == LaunchStage::raw || (stage == LaunchStage::resolved && !rule.is_derivation());
    enabled[at] = is_run && (!parsed || rule.versions.contains(*parsed));
  }
  return enabled;
}

}  // namespace

std::string engine_version(const FactTable& table) {
  const FactId fact = table.pack().version_fact();
  if (fact == kNoSlot) {
    const auto& versions = table.pack().source().versions;
    return versions.empty() ? std::string() : versions.back();
  }
  const Value& value = table.value(fact);
  return value.is(ValueKind::string) ? std::string(value.as_text()) : std::string();
}

WakeSet* prepare_walk(CheckWorkspace::State& state, LaunchStage stage, const WalkPlan& plan,
                      std::vector<bool>& is_enabled) {
  FactTable& table = state.table;
  const auto& versions = table.pack().source().versions;
  const std::string version = engine_version(table);
  const bool is_default_version = versions.empty() ? version.empty() : version == versions.back();
  if (!plan.use_index || !state.wake || !is_default_version || stage != LaunchStage::raw) {
    is_enabled = enabled_rules(table.pack(), version, stage);
    return nullptr;
  }
  state.wake->begin(table, plan.repeats);
  // Waking computes derived facts, which are touched then.
  const std::size_t count = table.touched_slots().size();
  for (std::size_t at = 0; at < count; ++at)
    state.wake->wake_given(table, table.touched_slots()[at]);
  return &*state.wake;
}

CheckWorkspace::CheckWorkspace(const CompiledPack& pack) : state_(std::make_unique<State>(pack)) {
  state_->wake.emplace(state_->table);
}
CheckWorkspace::CheckWorkspace(CheckWorkspace&&) noexcept = default;
CheckWorkspace& CheckWorkspace::operator=(CheckWorkspace&&) noexcept = default;
CheckWorkspace::~CheckWorkspace() = default;

}  // namespace assay
