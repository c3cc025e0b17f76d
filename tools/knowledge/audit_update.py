"""Writes the new places of moved messages into records and the rules that join them.

Only the values that name a place are replaced, as text, so that a file's form and its other lines stay as they
were. A record is read as its own source names it: file, first and last line, link, release.
"""

import json
import re


def update_places(records, rules_folder, version):
    """Moves the records whose message stands elsewhere now, and their rules. `version` is the tree's release."""
    if not version:
        raise SystemExit("--update-lines needs a tree that says its release (sglang/_version.py)")
    rules = {}
    for file in rules_folder.rglob("*.yaml"):
        joined = re.search(r"^error: ['\"]?([0-9a-f]{16})", file.read_text(encoding="utf-8"), re.MULTILINE)
        if joined:
            rules.setdefault(joined.group(1), []).append(file)
    for record in records:
        if not record.active or not record.places or record.stands():
            continue
        message = record.nearest_place()
        old = (record.path, record.line)
        update_record(record, message, f"v{version}")
        for file in rules.get(record.id, ()):
            update_rule(file, old, message, f"v{version}")


def update_record(record, message, tag):
    text = record.file.read_text(encoding="utf-8")
    link = json.loads(text)
    link = link.get("record", link).get("githubUrl") or ""
    repository = link.partition("/blob/")[0]
    values = {"filePath": f"python/{message.path}", "lineNumber": message.line, "sourceCodeStart": message.line,
              "sourceCodeEnd": message.end_line, "analyzedSha": tag}
    if repository:
        values["githubUrl"] = f"{repository}/blob/{tag}/python/{message.path}#L{message.line}-L{message.end_line}"
    for key, value in values.items():
        text = re.sub(rf'("{key}":\s*)(?:"[^"]*"|\d+|null)', lambda m, v=value: m.group(1) + json.dumps(v), text, count=1)
    record.file.write_text(text, encoding="utf-8")
    record.path, record.line = message.path, message.line


def update_rule(file, old, message, tag):
    """Only a rule whose source names the record's old place follows it: others have a place of their own."""
    text = file.read_text(encoding="utf-8")
    source = re.search(r"^source: \{file: (?:python/)?([^,]+), sha: ([^,]+), line: (\d+)", text, re.MULTILINE)
    if source and (source.group(1), int(source.group(3))) == old:
        new = f"source: {{file: python/{message.path}, sha: {tag}, line: {message.line}"
        file.write_text(text[:source.start()] + new + text[source.end():], encoding="utf-8")
