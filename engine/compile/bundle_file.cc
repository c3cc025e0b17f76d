// Header (64 bytes): magic, format version, number of sections, size of the file, checksum of the
// sources, checksum of the section table, 16 bytes of zeros, checksum of the 56 bytes before. Then
// the table, 32 bytes a section: kind, owner, offset, size, checksum. Sections begin at multiples
// of eight and follow one another, with zeros between.
//
// The bytes of a section of items carry no checksum of their own: the directory, which is checked
// at once, has one for each item (offset and checksum, eight bytes each).
#include "engine/compile/bundle_file.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/checksum.h"
#include "engine/base/little_endian.h"

namespace assay {
namespace {

constexpr std::size_t kHeaderChecked = kBundleHeaderBytes - 8;
constexpr std::uint32_t kMaxSections = 1u << 16;

bool is_item_bytes(SectionKind kind) {
  switch (kind) {
    case SectionKind::sources_bytes:
    case SectionKind::records_bytes:
    case SectionKind::facts_bytes:
    case SectionKind::rules_bytes:
    case SectionKind::compiled_rules_bytes:
    case SectionKind::derived_facts_bytes:
      return true;
    default:
      return false;
  }
}

bool is_checked_later(SectionKind kind) {
  return kind == SectionKind::silent_walk || kind == SectionKind::matcher ||
         kind == SectionKind::places || kind == SectionKind::support;
}

std::size_t aligned(std::size_t size) { return (size + 7) / 8 * 8; }

}  // namespace

Result<std::unique_ptr<const BundleFile>> BundleFile::open(FileBytes bytes, std::string name) {
  std::unique_ptr<BundleFile> file(new BundleFile(std::move(bytes), std::move(name)));
  Diagnostics faults = file->check();
  if (!faults.empty()) return faults;
  return std::unique_ptr<const BundleFile>(std::move(file));
}

Diagnostic BundleFile::damaged(std::string_view what) const {
  return make_error(code::damaged_bundle, {},
                    fmt::format("the bundle `{}` is damaged: {}", name_, what),
                    "make it anew with `assay pack`");
}

Diagnostics BundleFile::check() {
  const std::string_view all = bytes_.bytes();
  const std::string_view magic = all.substr(0, kBundleMagic.size());
  if (magic != kBundleMagic.substr(0, magic.size()) || all.empty())
    return {make_error(code::foreign_bundle, {}, fmt::format("`{}` is no bundle", name_),
                       "`assay pack` writes one")};
  if (all.size() < kBundleHeaderBytes) return {damaged("it ends within its header")};
  const char* const header = all.data();
  const auto version = load_little_endian<std::uint32_t>(header + 8);
  if (version != kBundleVersion)
    return {make_error(code::foreign_bundle, {},
                       fmt::format("the bundle `{}` has format version {}, this program reads {}",
                                   name_, version, kBundleVersion),
                       "make it anew with this program's `assay pack`")};
  if (load_little_endian<std::uint64_t>(header + kHeaderChecked) !=
      checksum(all.substr(0, kHeaderChecked)))
    return {damaged("its header is altered")};
  const auto size = load_little_endian<std::uint64_t>(header + 16);
  if (size != all.size())
    return {damaged(fmt::format("it should have {} bytes and has {}", size, all.size()))};
  sources_checksum_ = load_little_endian<std::uint64_t>(header + 24);
  return read_table(load_little_endian<std::uint32_t>(header + 12));
}

Diagnostics BundleFile::read_table(std::uint32_t count) {
  const std::string_view all = bytes_.bytes();
  if (count > kMaxSections || all.size() - kBundleHeaderBytes < count * kBundleEntryBytes)
    return {damaged("its section table is cut off")};
  const std::string_view table = all.substr(kBundleHeaderBytes, count * kBundleEntryBytes);
  if (load_little_endian<std::uint64_t>(all.data() + 32) != checksum(table))
    return {damaged("its section table is altered")};
  std::size_t end = kBundleHeaderBytes + table.size();
  for (std::uint32_t at = 0; at < count; ++at) {
    const char* const entry = table.data() + at * kBundleEntryBytes;
    Section section;
    section.kind = static_cast<SectionKind>(load_little_endian<std::uint32_t>(entry));
    section.owner = load_little_endian<std::uint32_t>(entry + 4);
    const auto offset = load_little_endian<std::uint64_t>(entry + 8);
    const auto size = load_little_endian<std::uint64_t>(entry + 16);
    section.checksum = load_little_endian<std::uint64_t>(entry + 24);
    if (offset != aligned(end) || offset > all.size() || size > all.size() - offset)
      return {damaged(fmt::format("section {} lies outside of it", at))};
    if (all.substr(end, offset - end).find_first_not_of('\0') != std::string_view::npos)
      return {damaged("it is altered between its sections")};
    section.bytes = all.substr(offset, size);
    end = offset + size;
    if (!is_item_bytes(section.kind) && !is_checked_later(section.kind) &&
        section.checksum != checksum(section.bytes))
      return {damaged(fmt::format("section {} is altered", at))};
    sections_.push_back(section);
  }
  return {};
}

const BundleFile::Section* BundleFile::find(SectionKind kind, std::uint32_t owner) const {
  for (const Section& section : sections_)
    if (section.kind == kind && section.owner == owner) return &section;
  return nullptr;
}

std::string_view BundleFile::section(SectionKind kind, std::uint32_t owner) const {
  const Section* found = find(kind, owner);
  if (found == nullptr) return {};
  if (is_checked_later(kind) && found->checksum != checksum(found->bytes)) {
    note_damage("a section is altered");
    return {};
  }
  return found->bytes;
}

std::string_view BundleFile::item(std::string_view directory, std::string_view bytes,
                                  std::size_t at) const {
  const char* const entry = directory.data() + at * kBundleItemBytes;
  const auto begin = load_little_endian<std::uint64_t>(entry);
  const bool is_last = at + 1 == item_count(directory);
  const auto end =
      is_last ? bytes.size() : load_little_endian<std::uint64_t>(entry + kBundleItemBytes);
  if (begin > end || end > bytes.size() || end - begin > kMaxBundleItemBytes) {
    note_damage("an item lies outside of its section");
    return {};
  }
  const std::string_view item = bytes.substr(begin, end - begin);
  if (load_little_endian<std::uint64_t>(entry + 8) != checksum(item)) {
    note_damage("an item is altered");
    return {};
  }
  return item;
}

void BundleFile::check_all() const {
  for (const Section& found : sections_) {
    if (!is_item_bytes(found.kind)) {
      section(found.kind, found.owner);
      continue;
    }
    // The directory of items stands under the kind before that of their bytes.
    const auto kind = static_cast<SectionKind>(static_cast<std::uint32_t>(found.kind) - 1);
    const std::string_view directory = section(kind, found.owner);
    for (std::size_t at = 0; at < item_count(directory); ++at) item(directory, found.bytes, at);
  }
}

void BundleFile::note_damage(std::string_view what) const {
  const std::lock_guard lock(mutex_);
  if (!is_damaged_.exchange(true)) what_ = what;
}

Diagnostics BundleFile::damage() const {
  if (!is_damaged_) return {};
  const std::lock_guard lock(mutex_);
  return {damaged(what_)};
}

void BundleBuilder::add(SectionKind kind, std::uint32_t owner, std::string bytes) {
  sections_.push_back({kind, owner, std::move(bytes)});
}

void BundleBuilder::add_items(SectionKind kind, std::uint32_t owner,
                              const std::vector<std::string>& items) {
  std::string directory;
  std::string bytes;
  for (const std::string& item : items) {
    append_little_endian<std::uint64_t>(directory, bytes.size());
    append_little_endian<std::uint64_t>(directory, checksum(item));
    bytes += item;
  }
  add(kind, owner, std::move(directory));
  add(static_cast<SectionKind>(static_cast<std::uint32_t>(kind) + 1), owner, std::move(bytes));
}

std::string BundleBuilder::finish(std::uint64_t sources_checksum) const {
  std::string table;
  std::size_t end = kBundleHeaderBytes + sections_.size() * kBundleEntryBytes;
  for (const Section& section : sections_) {
    append_little_endian(table, static_cast<std::uint32_t>(section.kind));
    append_little_endian(table, section.owner);
    append_little_endian<std::uint64_t>(table, aligned(end));
    append_little_endian<std::uint64_t>(table, section.bytes.size());
    append_little_endian<std::uint64_t>(table,
                                        is_item_bytes(section.kind) ? 0 : checksum(section.bytes));
    end = aligned(end) + section.bytes.size();
  }
  std::string all(kBundleMagic);
  append_little_endian(all, kBundleVersion);
  append_little_endian(all, static_cast<std::uint32_t>(sections_.size()));
  append_little_endian<std::uint64_t>(all, end);
  append_little_endian(all, sources_checksum);
  append_little_endian(all, checksum(table));
  all.append(kHeaderChecked - all.size(), '\0');
  append_little_endian(all, checksum(all));
  all += table;
  for (const Section& section : sections_) {
    all.append(aligned(all.size()) - all.size(), '\0');
    all += section.bytes;
  }
  return all;
}

}  // namespace assay
