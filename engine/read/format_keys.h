// Every key that our documents may have, in the order their documentation has them. The readers
// accept exactly these, and a test holds the JSON Schemas against them.
#pragma once

#include <array>
#include <string_view>

namespace assay {

struct DocumentKey {
  std::string_view name;
  bool is_required = false;
};

inline constexpr bool kRequired = true;

// pack.yaml
inline constexpr std::array<DocumentKey, 12> kPackKeys = {{{"pack", kRequired},
                                                           {"title", kRequired},
                                                           {"repository", kRequired},
                                                           {"versions", kRequired},
                                                           {"launchers", kRequired},
                                                           {"overlays"},
                                                           {"renamed_flags"},
                                                           {"example_fixes"},
                                                           {"config_flag"},
                                                           {"config_refuses"},
                                                           {"plugin_environment"},
                                                           {"stages", kRequired}}};
inline constexpr std::array<DocumentKey, 2> kLauncherKeys = {
    {{"words", kRequired}, {"positionals"}}};
inline constexpr std::array<DocumentKey, 2> kOverlayKeys = {{{"argument", kRequired}, {"merges"}}};
inline constexpr std::array<DocumentKey, 4> kExampleSurroundingsKeys = {
    {{"command", kRequired}, {"gpus"}, {"model"}, {"facts"}}};
inline constexpr std::array<DocumentKey, 3> kStageKeys = {
    {{"stage", kRequired}, {"title", kRequired}, {"steps", kRequired}}};
inline constexpr std::array<DocumentKey, 4> kStepKeys = {
    {{"step", kRequired}, {"stop_when"}, {"assume_not_when_unresolved"}, {"documentation"}}};

// arguments.yaml, facts.yaml
inline constexpr std::array<DocumentKey, 1> kArgumentsFileKeys = {{{"arguments", kRequired}}};
inline constexpr std::array<DocumentKey, 16> kArgumentKeys = {{{"versions"},
                                                               {"type", kRequired},
                                                               {"nullable"},
                                                               {"default", kRequired},
                                                               {"default_versions"},
                                                               {"choices"},
                                                               {"choice_versions"},
                                                               {"open_choices"},
                                                               {"unit_suffixes"},
                                                               {"flags"},
                                                               {"deprecated_flags"},
                                                               {"flag_versions"},
                                                               {"deprecated_versions"},
                                                               {"stores"},
                                                               {"environment"},
                                                               {"documentation"}}};
inline constexpr std::array<DocumentKey, 1> kFactsFileKeys = {{{"facts", kRequired}}};
inline constexpr std::array<DocumentKey, 8> kFactKeys = {{{"type", kRequired},
                                                          {"nullable"},
                                                          {"default"},
                                                          {"choices"},
                                                          {"minimum"},
                                                          {"unit"},
                                                          {"documentation"},
                                                          {"expression"}}};

// models.yaml
inline constexpr std::array<DocumentKey, 4> kModelTableKeys = {{{"sources", kRequired},
                                                                {"keys", kRequired},
                                                                {"quantization_keys", kRequired},
                                                                {"models", kRequired}}};
inline constexpr std::array<DocumentKey, 4> kModelSourceKeys = {
    {{"repository"}, {"sha"}, {"path"}, {"documentation"}}};
inline constexpr std::array<DocumentKey, 4> kModelKeys = {
    {{"also"}, {"source", kRequired}, {"config", kRequired}, {"facts"}}};

// matrices.yaml
inline constexpr std::array<DocumentKey, 1> kMatrixTableKeys = {{{"matrices", kRequired}}};
inline constexpr std::array<DocumentKey, 7> kMatrixKeys = {{{"pack", kRequired},
                                                            {"title", kRequired},
                                                            {"documentation"},
                                                            {"rows", kRequired},
                                                            {"columns", kRequired},
                                                            {"gpus", kRequired},
                                                            {"models", kRequired}}};
inline constexpr std::array<DocumentKey, 3> kMatrixModelKeys = {
    {{"model", kRequired}, {"gpu_count"}, {"arguments"}}};

// retired.yaml
inline constexpr std::array<DocumentKey, 2> kRetirementKeys = {{{"retired"}, {"moved"}}};
inline constexpr std::array<DocumentKey, 6> kRetiredRecordKeys = {{{"id", kRequired},
                                                                   {"repo", kRequired},
                                                                   {"slug", kRequired},
                                                                   {"message", kRequired},
                                                                   {"reason", kRequired},
                                                                   {"to"}}};
inline constexpr std::array<DocumentKey, 3> kMovedSlugKeys = {
    {{"repo", kRequired}, {"slug", kRequired}, {"id", kRequired}}};

// A rule. Which of require, cases and effect it needs depends on the others.
inline constexpr std::array<DocumentKey, 18> kRuleKeys = {{{"id", kRequired},
                                                           {"severity", kRequired},
                                                           {"summary", kRequired},
                                                           {"step", kRequired},
                                                           {"place"},
                                                           {"let"},
                                                           {"when"},
                                                           {"require"},
                                                           {"cases"},
                                                           {"effect"},
                                                           {"message"},
                                                           {"error"},
                                                           {"fix"},
                                                           {"versions"},
                                                           {"source"},
                                                           {"ignore_when"},
                                                           {"documentation"},
                                                           {"examples"}}};
inline constexpr std::array<DocumentKey, 2> kCaseKeys = {
    {{"label", kRequired}, {"when", kRequired}}};
inline constexpr std::array<DocumentKey, 3> kEffectKeys = {{{"set"}, {"compute"}, {"unset"}}};
inline constexpr std::array<DocumentKey, 4> kFixKeys = {
    {{"set"}, {"compute"}, {"unset"}, {"why", kRequired}}};
inline constexpr std::array<DocumentKey, 4> kRuleSourceKeys = {
    {{"file", kRequired}, {"sha", kRequired}, {"line"}, {"raises"}}};
inline constexpr std::array<DocumentKey, 7> kExampleKeys = {
    {{"violates"}, {"passes"}, {"undecided"}, {"changes"}, {"keeps"}, {"to"}, {"from"}}};

// A kernel contract.
inline constexpr std::array<DocumentKey, 10> kContractKeys = {{{"kernel", kRequired},
                                                               {"title", kRequired},
                                                               {"repository", kRequired},
                                                               {"summary", kRequired},
                                                               {"documentation"},
                                                               {"source", kRequired},
                                                               {"dimensions", kRequired},
                                                               {"tensors", kRequired},
                                                               {"scalars"},
                                                               {"clauses", kRequired}}};
inline constexpr std::array<DocumentKey, 9> kContractTensorKeys = {{{"documentation"},
                                                                    {"optional"},
                                                                    {"output"},
                                                                    {"dtype"},
                                                                    {"shape"},
                                                                    {"elements"},
                                                                    {"strides"},
                                                                    {"device"},
                                                                    {"alignment"}}};
inline constexpr std::array<DocumentKey, 1> kContractExtentKeys = {{{"at_least", kRequired}}};
inline constexpr std::array<DocumentKey, 3> kContractScalarKeys = {
    {{"type", kRequired}, {"default"}, {"documentation"}}};
inline constexpr std::array<DocumentKey, 11> kContractClauseKeys = {{{"id", kRequired},
                                                                     {"profile"},
                                                                     {"check"},
                                                                     {"of"},
                                                                     {"require"},
                                                                     {"values_of"},
                                                                     {"enforced_by"},
                                                                     {"back_ends"},
                                                                     {"message", kRequired},
                                                                     {"raises"},
                                                                     {"error"}}};
inline constexpr std::array<DocumentKey, 2> kContractGroupKeys = {
    {{"for_each", kRequired}, {"clauses", kRequired}}};

// A kernel call, described.
inline constexpr std::array<DocumentKey, 2> kKernelCallKeys = {
    {{"tensors", kRequired}, {"scalars"}}};
inline constexpr std::array<DocumentKey, 6> kDescribedTensorKeys = {{{"dtype", kRequired},
                                                                     {"shape", kRequired},
                                                                     {"strides"},
                                                                     {"device"},
                                                                     {"data"},
                                                                     {"byte_offset"}}};
inline constexpr std::array<DocumentKey, 3> kDescribedDTypeKeys = {
    {{"code", kRequired}, {"bits", kRequired}, {"lanes"}}};

// An error record, schema version 2: every key is there, many may be null.
inline constexpr std::array<DocumentKey, 31> kRecordKeys = {{{"id", kRequired},
                                                             {"repo", kRequired},
                                                             {"slug", kRequired},
                                                             {"errorCode", kRequired},
                                                             {"errorMessage", kRequired},
                                                             {"messagePattern", kRequired},
                                                             {"errorType", kRequired},
                                                             {"errorClass", kRequired},
                                                             {"httpStatus", kRequired},
                                                             {"severity", kRequired},
                                                             {"filePath", kRequired},
                                                             {"lineNumber", kRequired},
                                                             {"sourceCode", kRequired},
                                                             {"sourceCodeStart", kRequired},
                                                             {"sourceCodeEnd", kRequired},
                                                             {"githubUrl", kRequired},
                                                             {"documentation", kRequired},
                                                             {"triggerScenarios", kRequired},
                                                             {"commonSituations", kRequired},
                                                             {"solutions", kRequired},
                                                             {"exampleFix", kRequired},
                                                             {"handlingStrategy", kRequired},
                                                             {"validationCode", kRequired},
                                                             {"typeGuard", kRequired},
                                                             {"tryCatchPattern", kRequired},
                                                             {"preventionTips", kRequired},
                                                             {"tags", kRequired},
                                                             {"backgroundTag", kRequired},
                                                             {"analyzedSha", kRequired},
                                                             {"analyzedAt", kRequired},
                                                             {"schemaVersion", kRequired}}};
// What version 3 adds.
inline constexpr std::array<DocumentKey, 8> kRecordVersion3Keys = {{{"examples"},
                                                                    {"nearMisses"},
                                                                    {"context"},
                                                                    {"wrapper"},
                                                                    {"status"},
                                                                    {"replacedBy"},
                                                                    {"seeAlso"},
                                                                    {"exampleProof"}}};
inline constexpr std::array<DocumentKey, 2> kRecordExampleKeys = {
    {{"message", kRequired}, {"source"}}};
inline constexpr std::array<DocumentKey, 2> kRecordLinkKeys = {{{"id", kRequired}, {"reason"}}};
// `facts`, or the two others.
inline constexpr std::array<DocumentKey, 3> kExampleProofKeys = {{{"facts"}, {"none"}, {"reason"}}};
inline constexpr std::array<DocumentKey, 2> kEnvelopeKeys = {
    {{"record", kRequired}, {"datasetVersion", kRequired}}};

}  // namespace assay
