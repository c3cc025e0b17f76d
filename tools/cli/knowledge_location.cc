// The program's own path comes from /proc/self/exe, so that it works through links and from any
// folder. A path to lint or test belongs to the nearest folder above it that holds rules/ or
// dataset/ with the path inside.
#include "tools/cli/knowledge_location.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/compile/bundle_format.h"
#include "engine/evaluate/knowledge_bundle.h"
#include "tools/cli/bundle_currency.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// As a user would write it from here: relative where it is below the current folder.
std::string seen_from_here(const fs::path& path) {
  std::error_code fault;
  const fs::path here = fs::current_path(fault);
  if (fault) return path.string();
  const fs::path relative = path.lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return path.string();
  return relative == "." ? "" : relative.string();
}

std::string or_here(const fs::path& folder) {
  const std::string seen = seen_from_here(folder);
  return seen.empty() ? "." : seen;
}

bool holds_knowledge(const std::string& folder, const FileSystem& files) {
  const KnowledgeFolder below = KnowledgeFolder::below(folder);
  return files.is_folder(below.rules) || files.is_folder(below.dataset);
}

constexpr const char* kBundleName = "knowledge.assay";

KnowledgePlace place_below(const std::string& root) {
  return {KnowledgeFolder::below(root), root.empty() ? "" : root + "/", {}, false};
}

struct Place {
  KnowledgeFolder folder;
  std::optional<std::string> path;  // none: all of the folder
};

// A pack or a dataset that stands by itself.
Place place_without_root(const fs::path& path, const FileSystem& files) {
  const fs::path folder = files.is_folder(path.string()) ? path : path.parent_path();
  for (fs::path above = folder;; above = above.parent_path()) {
    if (files.is_file((above / "pack.yaml").string()))
      return {{or_here(above.parent_path()), ""}, seen_from_here(path)};
    if (above == above.parent_path()) break;
  }
  return {{"", or_here(folder)}, seen_from_here(path)};
}

Result<Place> place_of(const std::string& name, const FileSystem& files) {
  if (!files.is_folder(name) && !files.is_file(name))
    return make_error(code::unreadable_file, {}, "there is no file or folder `" + name + "`");
  std::error_code fault;
  fs::path path = fs::absolute(name, fault).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "rules/"
  if (holds_knowledge(path.string(), files))
    return Place{KnowledgeFolder::below(seen_from_here(path)), std::nullopt};
  for (fs::path below = path, above = path.parent_path(); above != below;
       below = above, above = above.parent_path()) {
    const bool is_inside = below.filename() == "rules" || below.filename() == "dataset";
    if (is_inside && files.is_folder(below.string()))
      return Place{KnowledgeFolder::below(seen_from_here(above)), seen_from_here(path)};
  }
  return place_without_root(path, files);
}

}  // namespace

Result<KnowledgePlace> find_knowledge(const std::optional<std::string>& named) {
  if (named) {
    std::string root = *named;
    if (DiskFileSystem().is_file(root)) return KnowledgePlace{{}, {}, root, false};
    while (root.size() > 1 && root.back() == '/') root.pop_back();
    if (root == ".") root.clear();  // files are named as below any folder: rules/…
    return place_below(root);
  }
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  const fs::path beside = program.parent_path().parent_path() / "share" / "assay";
  const fs::path found = fault ? fs::path() : fs::canonical(beside, fault);
  if (fault)
    return make_error(
        code::unreadable_file, {},
        "no knowledge came with this program: there is no folder `" + beside.string() + "`",
        "name a folder with rules/ and dataset/ with --knowledge");
  KnowledgePlace place = place_below(seen_from_here(found));
  const bool is_checkout = fs::is_symlink(beside, fault);
  const fs::path bundle = (is_checkout ? program.parent_path() : beside) / kBundleName;
  if (fs::is_regular_file(bundle, fault)) place.bundle = bundle.string();
  place.is_bundle_optional = is_checkout;
  return place;
}

Result<FileBytes> bytes_of_bundle(const KnowledgePlace& place, const Session& session) {
  if (!place.is_bundle_copied) return FileBytes::map(place.bundle, kMaxBundleBytes);
  ASSAY_TRY(std::string bytes, session.files.read_file(place.bundle, kMaxBundleBytes));
  return FileBytes(std::move(bytes));
}

Result<std::optional<Knowledge>> open_bundle_of(const KnowledgePlace& place, Session& session) {
  if (place.bundle.empty()) return std::optional<Knowledge>();
  auto bytes = bytes_of_bundle(place, session);
  auto file = bytes ? BundleFile::open(std::move(*bytes), place.bundle)
                    : Result<std::unique_ptr<const BundleFile>>(std::move(bytes.error()));
  const bool counts =
      file && (!place.is_bundle_optional || is_current(**file, place.bundle, place.root));
  if (!counts && place.is_bundle_optional) return std::optional<Knowledge>();
  if (!file) return std::move(file.error());
  if (place.is_bundle_copied) {
    (*file)->check_all();
    if (Diagnostics damage = (*file)->damage(); !damage.empty()) return damage;
  }
  ASSAY_TRY(Knowledge knowledge, open_bundle(session.sources, std::move(*file), place.root));
  return std::optional<Knowledge>(std::move(knowledge));
}

Result<Knowledge> load_knowledge(Session& session, const KnowledgePlace& place,
                                 KnowledgeParts parts, Diagnostics& warnings) {
  ASSAY_TRY(std::optional<Knowledge> bundled, open_bundle_of(place, session));
  if (bundled) return std::move(*bundled);
  return assay::load_knowledge(session.sources, session.files, place.folder, warnings, parts);
}

bool is_whole(const Knowledge& knowledge, Session& session) {
  const Diagnostics damage = knowledge.damage();
  if (!damage.empty()) session.console.show(damage, session.sources);
  return damage.empty();
}

std::optional<Knowledge> open_knowledge(Session& session, KnowledgeParts parts) {
  const Result<KnowledgePlace> place = find_knowledge(session.common.knowledge);
  if (!place) {
    session.console.show(place.error(), session.sources);
    return std::nullopt;
  }
  Diagnostics warnings;
  Result<Knowledge> knowledge = load_knowledge(session, *place, parts, warnings);
  if (!knowledge) {
    session.console.show(knowledge.error(), session.sources);
    return std::nullopt;
  }
  return std::move(*knowledge);
}

bool KnowledgeSelection::covers(const std::string& path) const {
  return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& selected) {
           return selected.empty() || path == selected || path.starts_with(selected + "/");
         });
}

Result<KnowledgeSelection> select_knowledge(const std::optional<std::string>& named,
                                            const std::vector<std::string>& paths,
                                            const FileSystem& files) {
  KnowledgeSelection selection;
  if (paths.empty()) {
    ASSAY_TRY(KnowledgePlace place, find_knowledge(named));
    selection.folder = std::move(place.folder);
    if (named) selection.bundle = std::move(place.bundle);  // else its sources are looked at
    return selection;
  }
  bool is_everything = false;
  for (const std::string& name : paths) {
    ASSAY_TRY(Place place, place_of(name, files));
    const bool is_first = &name == &paths.front();
    if (is_first) selection.folder = place.folder;
    if (place.folder.rules != selection.folder.rules ||
        place.folder.dataset != selection.folder.dataset)
      return make_error(
          code::bad_usage, {},
          "`" + paths.front() + "` and `" + name + "` are not of one knowledge folder",
          "one call looks at one folder with rules/ and dataset/");
    if (place.path)
      selection.paths.push_back(*place.path);
    else
      is_everything = true;
  }
  if (is_everything) selection.paths.clear();
  return selection;
}

Result<Knowledge> load_selected(Session& session, const KnowledgeSelection& selection,
                                Diagnostics& warnings) {
  if (selection.bundle.empty())
    return assay::load_knowledge(session.sources, session.files, selection.folder, warnings);
  ASSAY_TRY(Knowledge knowledge, open_bundle(session.sources, selection.bundle));
  read_all(knowledge, session.sources);
  Diagnostics damage = knowledge.damage();
  if (!damage.empty()) return damage;
  return knowledge;
}

Diagnostics find_empty_paths(const KnowledgeSelection& selection, const Knowledge& knowledge,
                             const SourceSet& sources) {
  constexpr const char* kHelp =
      "name a folder with rules/ or dataset/ in it, or something inside one of them";
  Diagnostics faults;
  const auto refuse = [&](const std::string& path) {
    faults.push_back(make_error(code::empty_input, {},
                                "there is no rule, contract or record in `" + path + "`", kHelp));
  };
  const bool is_bare =
      knowledge.packs.empty() && knowledge.contracts.empty() && knowledge.dataset.records.empty();
  if (selection.paths.empty() && is_bare)
    refuse(fs::path(selection.folder.dataset).parent_path().string());
  for (const std::string& path : selection.paths) {
    const KnowledgeSelection one{selection.folder, {}, {path}};
    bool is_empty = true;
    for (SourceId id = 0; id < sources.size() && is_empty; ++id)
      is_empty = !one.covers(sources.get(id).name());
    if (is_empty) refuse(path);
  }
  return faults;
}

Diagnostics find_passed_over(const KnowledgeFolder& folder, const FileSystem& files) {
  Diagnostics warnings;
  const auto warn = [&](const std::string& path, std::string_view why, std::string help) {
    warnings.push_back({Severity::warning,
                        code::unreadable_file,
                        {},
                        "`" + path + "` is passed over: " + std::string(why),
                        std::move(help),
                        {}});
  };
  for (const std::string& root : {folder.rules, folder.dataset}) {
    if (root.empty() || !files.is_folder(root)) continue;
    const std::string extension = root == folder.rules ? ".yaml" : ".json";
    for (const PassedOver& entry : files.list_passed_over(root))
      warn(entry.path, entry.why, "put a folder or file of its own there");
    const auto all = files.list_files(root, "");
    if (!all) continue;
    for (const std::string& path : *all) {
      const bool is_expected = path.ends_with(extension) || path.ends_with(".md") ||
                               path.starts_with(root + "/schema/") || path == folder.retirement();
      const bool is_told_by_its_pack = root == folder.rules && path.ends_with(".yml");
      if (!is_expected && !is_told_by_its_pack)
        warn(path, "its name does not end in " + extension, {});
    }
  }
  return warnings;
}

}  // namespace assay::cli
