"""Walks all pages of a site: check_site.py FOLDER. Prints what is wrong, a line a fault, and fails on any:
tags that are not closed in their order, ids that occur twice, links (with their #fragments, those of Markdown twins
too) that lead to no file, anything loaded from elsewhere, scripts and styles inside a page, a page without a title,
description, language, main heading or Markdown twin.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

VOID = {"meta", "link", "br", "hr", "img", "input"}
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
LOADING_RELATIONS = {"stylesheet", "icon", "preload", "manifest", "modulepreload", "prefetch"}
MARKDOWN_LINK = re.compile(r"(?<!\\)\]\(([^)]+)\)")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults, self.links, self.ids, self.open, self.seen = [], [], set(), [], []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"not closed: {self.open}")
        for wanted in ("html", "title", "main", "h1"):
            if self.seen.count(wanted) != 1:
                self.faults.append(f"{self.seen.count(wanted)} times <{wanted}>")

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.seen.append(tag)
        if len(attributes) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        if "style" in attributes or tag == "style" or any(name.startswith("on") for name in attributes):
            self.faults.append(f"<{tag}> has its own style or script")
        if attributes.get("id") in self.ids:
            self.faults.append(f"id {attributes['id']} twice")
        if "id" in attributes:
            self.ids.add(attributes["id"])
        for name, value in attributes.items():
            is_loaded = (tag, name) in LOADED and (tag != "link" or attributes.get("rel") in LOADING_RELATIONS)
            if is_loaded and re.match(r"[a-z]+:|//", value) and value != "data:,":
                self.faults.append(f"loads {value}")
            if name in ("href", "src"):
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and data.strip():
            self.faults.append("a script inside the page")


def is_outside(link):
    return re.match(r"https?://|data:,$", link) is not None


def faults_of_links(root, path, links, ids_of):
    for link in links:
        if is_outside(link):
            continue
        target, _, fragment = link.partition("#")
        file = (path.parent / urllib.parse.unquote(target)).resolve() if target else path
        if root not in file.parents or not file.is_file():
            yield f"leads to no file: {link}"
        elif fragment and file.suffix == ".html" and fragment not in ids_of(file):
            yield f"leads to no place: {link}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    faults, links = 0, 0

    def report(path, fault):
        nonlocal faults
        faults += 1
        if faults <= 40:
            print(f"{path.relative_to(root)}: {fault}")

    for path, page in pages.items():
        links += len(page.links)
        for fault in [*page.faults, *faults_of_links(root, path, page.links, lambda file: pages[file].ids)]:
            report(path, fault)
        twin = path.with_suffix(".md")
        if not twin.is_file():
            report(path, "has no Markdown twin")
            continue
        text = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", twin.read_text(encoding="utf-8"))
        text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "x", text)
        for fault in faults_of_links(root, twin, MARKDOWN_LINK.findall(text), None):
            report(twin, fault)
    print(f"{len(pages)} pages, {links} links, {faults} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
