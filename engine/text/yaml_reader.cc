// libyaml's events become the tree on an explicit stack of open collections, so that depth is a
// counter and no recursion. The event level is where anchors, aliases, tags and quoting still show;
// libyaml's own document loader would resolve them, and would keep both of two equal keys.
//
// Places: libyaml counts characters. In ASCII texts these are bytes; else a cursor walks from the
// last converted mark to the next, which is near it, so that all conversions together cost one or
// two passes over the text. What libyaml calls the end of a block collection is the begin of
// whatever follows; ours is the end of its last child.
//
// Copies made for aliases and merge keys are paid for from the same budget as nodes, and their
// bytes from one of `max_bytes`, so that "billion laughs" stops early.
#include "engine/text/yaml_reader.h"

#include <yaml.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/text/character_offsets.h"
#include "engine/text/plain_text.h"
#include "engine/text/python_yaml.h"
#include "engine/text/unique_keys.h"
#include "engine/text/yaml_scalar.h"

namespace assay {
namespace {

std::string_view as_view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

struct Event {
  yaml_event_t raw = {};
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&raw); }
};

constexpr std::string_view kStandardTags = "tag:yaml.org,2002:";

// What a node of the tree costs to copy.
struct NodeCost {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  std::size_t depth = 0;
};

NodeCost cost_of(const Node& node) {
  NodeCost cost{1, node.text.size(), 0};
  const auto add = [&](const Node& child) {
    const NodeCost inner = cost_of(child);
    cost.nodes += inner.nodes;
    cost.bytes += inner.bytes;
    cost.depth = std::max(cost.depth, inner.depth + 1);
  };
  for (const Node& item : node.items) add(item);
  for (const Entry& entry : node.entries) {
    cost.bytes += entry.key.size();
    add(entry.value);
  }
  return cost;
}

struct Anchor {
  Node node;
  NodeCost cost;
};

// A collection whose end has not come yet.
struct OpenNode {
  Node node;
  std::string anchor;
  bool is_flow = false;
  bool has_key = false;  // of a mapping: the key of the next value is known
  std::string key;
  Span key_span;
  bool merges = false;  // the key is an unquoted `<<`
  std::vector<Node> merged;
};

enum class Dialect : std::uint8_t { strict, stream, python };

class YamlParser {
 public:
  YamlParser(const SourceSet& sources, SourceId source, const DocumentLimits& limits,
             Dialect dialect)
      : span_(whole_source(sources, source)),
        text_(sources.text(span_)),
        limits_(limits),
        dialect_(dialect),
        offsets_(text_) {}

  Result<std::vector<Node>> parse();
  Diagnostics take_warnings() { return std::move(warnings_); }

 private:
  enum class Next : std::uint8_t { go_on, stop };

  Next handle(const yaml_event_t& event);
  Next begin_document(const yaml_event_t& event);
  Next add_scalar(const yaml_event_t& event);
  Next open(const yaml_event_t& event, NodeKind kind, const yaml_char_t* anchor,
            const yaml_char_t* tag, bool is_flow);
  Next close(const yaml_event_t& event);
  Next add_alias(const yaml_event_t& event);
  Next add_node(Node node);
  Next add_key(Node node);
  Next keep_anchor(const std::string& name, const Node& node);
  Next merge(OpenNode& mapping);
  bool pay(const NodeCost& cost, Span span);
  void check_properties(const yaml_event_t& event, const yaml_char_t* anchor,
                        const yaml_char_t* tag);
  void add_syntax_fault(const yaml_parser_t& parser);
  void add_fault(DiagnosticCode code, Span span, std::string message, std::string help = {});

  Span place(std::size_t begin, std::size_t end) const {
    return {span_.source, span_.begin + static_cast<std::uint32_t>(begin),
            span_.begin + static_cast<std::uint32_t>(std::max(begin, end))};
  }
  Span span_of(const yaml_event_t& event) {
    const std::size_t begin = offsets_.of(event.start_mark.index);
    return place(begin, offsets_.of(event.end_mark.index));
  }
  Span value_span(const yaml_event_t& event, bool has_properties);
  bool is_strict() const { return dialect_ == Dialect::strict; }
  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == NodeKind::mapping && !open_.back().has_key;
  }

  Span span_;
  std::string_view text_;
  DocumentLimits limits_;
  Dialect dialect_;
  CharacterOffsets offsets_;
  std::vector<OpenNode> open_;
  std::unordered_map<std::string, Anchor> anchors_;
  std::vector<Node> documents_;
  std::size_t nodes_ = 0;
  std::size_t copied_bytes_ = 0;
  Diagnostics faults_;
  Diagnostics warnings_;
};

Result<std::vector<Node>> YamlParser::parse() {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0)
    return make_error(code::yaml_syntax, place(0, 0), "no memory to read it");
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text_.data()),
                               text_.size());
  for (Next next = Next::go_on; next == Next::go_on;) {
    Event event;
    if (yaml_parser_parse(&parser, &event.raw) == 0) {
      add_syntax_fault(parser);
      break;
    }
    next = handle(event.raw);
  }
  yaml_parser_delete(&parser);
  if (!faults_.empty()) {
    std::stable_sort(faults_.begin(), faults_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return a.span.begin < b.span.begin;
    });
    return std::move(faults_);
  }
  return std::move(documents_);
}

YamlParser::Next YamlParser::handle(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      return begin_document(event);
    case YAML_SCALAR_EVENT:
      return add_scalar(event);
    case YAML_ALIAS_EVENT:
      return add_alias(event);
    case YAML_SEQUENCE_START_EVENT: {
      const auto& start = event.data.sequence_start;
      return open(event, NodeKind::sequence, start.anchor, start.tag,
                  start.style == YAML_FLOW_SEQUENCE_STYLE);
    }
    case YAML_MAPPING_START_EVENT: {
      const auto& start = event.data.mapping_start;
      return open(event, NodeKind::mapping, start.anchor, start.tag,
                  start.style == YAML_FLOW_MAPPING_STYLE);
    }
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return close(event);
    case YAML_STREAM_END_EVENT:
      return Next::stop;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
      break;
  }
  return Next::go_on;
}

YamlParser::Next YamlParser::begin_document(const yaml_event_t& event) {
  anchors_.clear();
  if (dialect_ == Dialect::stream || documents_.empty()) return Next::go_on;
  add_fault(code::yaml_syntax, span_of(event), "a second document begins here; one was expected",
            "remove the `---`");
  return Next::stop;
}

// Without the anchor and tag before a value, and without the line ends after a block scalar.
Span YamlParser::value_span(const yaml_event_t& event, bool has_properties) {
  const Span span = span_of(event);
  std::size_t begin = span.begin - span_.begin, end = span.end - span_.begin;
  while (has_properties && begin < end && (text_[begin] == '&' || text_[begin] == '!')) {
    begin = std::min(text_.find_first_of(" \t\r\n,[]{}", begin), end);
    begin = std::min(text_.find_first_not_of(" \t\r\n", begin), end);
  }
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r' || text_[end - 1] == ' '))
    --end;
  return place(begin, end);
}

void YamlParser::check_properties(const yaml_event_t& event, const yaml_char_t* anchor,
                                  const yaml_char_t* tag) {
  if (anchor != nullptr && is_strict())
    add_fault(
        code::yaml_alias, span_of(event),
        "anchor `&" + std::string(as_view(anchor)) + "`; anchors and aliases are not used here",
        "write the value where it is needed");
  const bool is_known = (dialect_ == Dialect::stream && as_view(tag) == YAML_STR_TAG) ||
                        (dialect_ == Dialect::python && as_view(tag).starts_with(kStandardTags));
  if (tag != nullptr && !is_known)
    add_fault(code::yaml_alias, span_of(event),
              "tag `" + std::string(as_view(tag)) + "`; tags are not used here",
              "remove it, or put the value in quotes to make it a string");
}

YamlParser::Next YamlParser::add_scalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  check_properties(event, scalar.anchor, scalar.tag);
  Node node;
  node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const bool is_made_string =
      scalar.tag != nullptr && (dialect_ != Dialect::python || as_view(scalar.tag) == YAML_STR_TAG);
  node.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE || is_made_string;
  node.span = value_span(event, scalar.anchor != nullptr || scalar.tag != nullptr);
  node.kind = NodeKind::string;
  if (!pay({1, 0, 0}, node.span)) return Next::stop;
  const bool is_key = expects_key();
  if (!node.quoted && !is_key) {
    dialect_ == Dialect::python ? resolve_python_scalar(node) : resolve_plain_scalar(node);
    if (is_strict() && is_ambiguous_boolean(node.text))
      add_fault(code::ambiguous_boolean, node.span,
                "`" + node.text + "` is a boolean to some YAML readers and a string to others",
                "write true or false, or put it in quotes");
  }
  if (scalar.anchor != nullptr && !is_strict() &&
      keep_anchor(std::string(as_view(scalar.anchor)), node) == Next::stop)
    return Next::stop;
  return is_key ? add_key(std::move(node)) : add_node(std::move(node));
}

YamlParser::Next YamlParser::open(const yaml_event_t& event, NodeKind kind,
                                  const yaml_char_t* anchor, const yaml_char_t* tag, bool is_flow) {
  check_properties(event, anchor, tag);
  OpenNode opened;
  opened.node.kind = kind;
  opened.node.span = value_span(event, false);
  opened.anchor = as_view(anchor);
  opened.is_flow = is_flow;
  if (!pay({1, 0, 0}, opened.node.span)) return Next::stop;
  if (open_.size() >= limits_.max_depth) {
    add_fault(code::nesting_too_deep, opened.node.span,
              "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
    return Next::stop;
  }
  open_.push_back(std::move(opened));
  return Next::go_on;
}

YamlParser::Next YamlParser::close(const yaml_event_t& event) {
  OpenNode closed = std::move(open_.back());
  open_.pop_back();
  Node& node = closed.node;
  if (closed.is_flow)
    node.span.end = span_of(event).end;
  else if (!node.items.empty())
    node.span.end = node.items.back().span.end;
  else if (!node.entries.empty())
    node.span.end = std::max(node.entries.back().key_span.end, node.entries.back().value.span.end);
  if (dialect_ == Dialect::python)
    keep_last_of_equal_keys(node.entries, limits_.max_faults, warnings_);
  else
    remove_duplicate_keys(node.entries, limits_.max_faults, faults_);
  if (!closed.merged.empty() && merge(closed) == Next::stop) return Next::stop;
  if (!closed.anchor.empty() && !is_strict() && keep_anchor(closed.anchor, node) == Next::stop)
    return Next::stop;
  return expects_key() ? add_key(std::move(node)) : add_node(std::move(node));
}

YamlParser::Next YamlParser::add_key(Node node) {
  OpenNode& mapping = open_.back();
  const bool is_empty = node.is_scalar() && node.text.empty() && !node.quoted;
  if (!node.is_scalar() || is_empty)
    add_fault(code::yaml_syntax, node.span,
              is_empty ? "a key is missing here"
                       : "a key must be a string, this is " + std::string(to_string(node.kind)));
  mapping.has_key = true;
  mapping.key = std::move(node.text);
  mapping.key_span = node.span;
  mapping.merges = !is_strict() && !node.quoted && mapping.key == "<<";
  return Next::go_on;
}

YamlParser::Next YamlParser::add_node(Node node) {
  if (open_.empty()) {
    const bool is_nothing = node.kind == NodeKind::null && node.text.empty();
    if (is_strict() || !is_nothing) documents_.push_back(std::move(node));
    return Next::go_on;
  }
  OpenNode& parent = open_.back();
  if (parent.node.kind == NodeKind::sequence) {
    parent.node.items.push_back(std::move(node));
    return Next::go_on;
  }
  parent.has_key = false;
  if (parent.merges)
    parent.merged.push_back(std::move(node));
  else
    parent.node.entries.push_back({std::move(parent.key), parent.key_span, std::move(node)});
  return Next::go_on;
}

YamlParser::Next YamlParser::add_alias(const yaml_event_t& event) {
  const std::string name(as_view(event.data.alias.anchor));
  const Span span = span_of(event);
  Node node;
  node.span = span;
  const auto found = anchors_.find(name);
  if (is_strict()) {
    add_fault(code::yaml_alias, span,
              "alias `*" + name + "`; anchors and aliases are not used here",
              "write the value where it is needed, or put it in quotes to make it a string");
  } else if (found == anchors_.end()) {
    add_fault(code::yaml_alias, span, "alias `*" + name + "` names no anchor before it");
  } else {
    if (open_.size() + found->second.cost.depth > limits_.max_depth) {
      add_fault(code::nesting_too_deep, span,
                "more than " + std::to_string(limits_.max_depth) + " levels of nesting");
      return Next::stop;
    }
    if (!pay(found->second.cost, span)) return Next::stop;
    node = found->second.node;
  }
  return expects_key() ? add_key(std::move(node)) : add_node(std::move(node));
}

YamlParser::Next YamlParser::keep_anchor(const std::string& name, const Node& node) {
  const NodeCost cost = cost_of(node);
  if (!pay(cost, node.span)) return Next::stop;
  anchors_.insert_or_assign(name, Anchor{node, cost});
  return Next::go_on;
}

// The mapping's own keys win over merged ones, earlier merged ones over later.
YamlParser::Next YamlParser::merge(OpenNode& mapping) {
  std::set<std::string> keys;
  for (const Entry& entry : mapping.node.entries) keys.insert(entry.key);
  std::vector<const Node*> parts;
  for (const Node& merged : mapping.merged) {
    if (merged.kind != NodeKind::sequence) parts.push_back(&merged);
    for (const Node& item : merged.items) parts.push_back(&item);
  }
  for (const Node* part : parts) {
    if (part->kind != NodeKind::mapping)
      add_fault(code::yaml_alias, part->span,
                "`<<` merges mappings, this is " + std::string(to_string(part->kind)));
    for (const Entry& entry : part->entries) {
      if (!keys.insert(entry.key).second) continue;
      if (!pay(cost_of(entry.value), part->span)) return Next::stop;
      mapping.node.entries.push_back(entry);
    }
  }
  return Next::go_on;
}

bool YamlParser::pay(const NodeCost& cost, Span span) {
  nodes_ += cost.nodes;
  copied_bytes_ += cost.bytes;
  if (nodes_ <= limits_.max_nodes && copied_bytes_ <= limits_.max_bytes) return true;
  add_fault(code::file_too_large, span,
            "more than " + std::to_string(limits_.max_nodes) + " values or " +
                describe_bytes(limits_.max_bytes) + " once aliases are resolved");
  return false;
}

void YamlParser::add_fault(DiagnosticCode code, Span span, std::string message, std::string help) {
  if (faults_.size() < limits_.max_faults)
    faults_.push_back(make_error(code, span, std::move(message), std::move(help)));
}

void YamlParser::add_syntax_fault(const yaml_parser_t& parser) {
  const bool is_reader_fault = parser.error == YAML_READER_ERROR;
  const std::size_t at =
      is_reader_fault ? parser.problem_offset : offsets_.of(parser.problem_mark.index);
  std::string message = parser.problem != nullptr ? parser.problem : "no memory to read it";
  if (parser.context != nullptr) message += std::string(" ") + parser.context;
  const std::size_t begin = std::min(at, text_.size());
  const bool is_tab = begin < text_.size() && text_[begin] == '\t';
  add_fault(code::yaml_syntax, place(begin, std::min(begin + 1, text_.size())), std::move(message),
            is_tab ? "indent with spaces; YAML does not allow tabs" : "");
  const bool has_context = parser.context != nullptr && !is_reader_fault &&
                           parser.context_mark.line != parser.problem_mark.line;
  if (has_context && !faults_.empty()) {
    const std::size_t context = offsets_.of(parser.context_mark.index);
    faults_.back().related.push_back({place(context, context), "it begins here"});
  }
}

Result<std::vector<Node>> read_documents(const SourceSet& sources, SourceId source,
                                         const DocumentLimits& limits, Dialect dialect,
                                         Diagnostics& warnings) {
  const Span whole = whole_source(sources, source);
  auto fault = find_text_fault(sources, whole, limits.max_bytes);
  const bool may_be_empty = dialect == Dialect::python;
  if (fault && may_be_empty && fault->code == code::empty_input) return std::vector<Node>(1);
  if (fault) return std::move(*fault);
  YamlParser parser(sources, source, limits, dialect);
  ASSAY_TRY(auto documents, parser.parse());
  warnings = parser.take_warnings();
  if (documents.empty() && may_be_empty) documents.emplace_back();
  if (documents.empty())
    return make_error(code::empty_input, {source, whole.begin, whole.begin},
                      "there is nothing in it but comments");
  return documents;
}

}  // namespace

Result<Node> read_yaml(const SourceSet& sources, SourceId source, const DocumentLimits& limits) {
  Diagnostics none;
  ASSAY_TRY(auto documents, read_documents(sources, source, limits, Dialect::strict, none));
  return std::move(documents.front());
}

Result<std::vector<Node>> read_yaml_stream(const SourceSet& sources, SourceId source,
                                           const DocumentLimits& limits) {
  Diagnostics none;
  return read_documents(sources, source, limits, Dialect::stream, none);
}

Result<Node> read_python_yaml(const SourceSet& sources, SourceId source, Diagnostics& warnings) {
  Diagnostics found;
  ASSAY_TRY(auto documents, read_documents(sources, source, {}, Dialect::python, found));
  append(warnings, std::move(found));
  return std::move(documents.front());
}

}  // namespace assay
