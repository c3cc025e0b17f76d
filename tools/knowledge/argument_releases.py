"""Joins the arguments of several releases into one description, and takes one release's out of it.

`merge` starts from the newest release that has an argument and writes down what others have in another
way: ranges of releases for the argument itself, its choices and flags, and other defaults. What it cannot
say so (another type, choices in some releases and none in others) becomes a note, which the file shows as
a comment. `in_release` is the way back, for comparisons: it works on what argument_yaml reads.
"""

from copy import deepcopy

from audit_records import covers
from audit_records import release as numbers_of


def ranges_of(having, among):
    """The range that has exactly the releases `having` of those in `among` (oldest first); empty: all of them."""
    if having == among:
        return ""
    places = [among.index(release) for release in having]
    first, last = places[0], places[-1]
    parts = [f">={among[first]}"] if first > 0 else []
    parts += [f"!={among[place]}" for place in range(first, last) if place not in places]
    if last + 1 < len(among):
        parts.append(f"<{among[last + 1]}")
    return ",".join(parts)


def runs(values):
    """[(value, its consecutive releases)] of {release: value}."""
    found = []
    for release, value in values.items():
        if found and found[-1][0] == value and type(found[-1][0]) is type(value):
            found[-1][1].append(release)
        else:
            found.append((value, [release]))
    return found


def merge(by_release):
    """One dict of arguments of {release: {name: Argument}}, oldest release first. The newest one's order; an
    argument it lacks stands behind the others of its group."""
    releases = list(by_release)
    merged = {name: deepcopy(argument) for name, argument in by_release[releases[-1]].items()}
    for release in reversed(releases[:-1]):
        for name, argument in by_release[release].items():
            if name not in merged:
                merged = put_behind_group(merged, deepcopy(argument))
    for name, argument in merged.items():
        forms = {release: by_release[release][name] for release in releases if name in by_release[release]}
        argument.versions = ranges_of(list(forms), releases)
        merge_flags(argument, forms)
        merge_choices(argument, forms)
        merge_defaults(argument, forms)
        for key in ("type", "unit_suffixes", "open_choices"):
            if any(getattr(form, key) != getattr(argument, key) for form in forms.values()):
                argument.notes.append(f"{key} is another one in older releases; not modelled")
    return merged


def put_behind_group(arguments, argument):
    names = list(arguments)
    behind = max((at for at, name in enumerate(names) if arguments[name].group == argument.group),
                 default=len(names) - 1)
    items = list(arguments.items())
    items.insert(behind + 1, (argument.name, argument))
    return dict(items)


def having(forms, holds):
    return [release for release, form in forms.items() if holds(form)]


def joined(newer, older):
    """Both lists in one, each in its own order as far as that goes: the engine's messages list choices in it."""
    both = list(newer)
    for at, item in enumerate(older):
        if item not in both:
            both.insert(both.index(older[at - 1]) + 1 if at else 0, item)
    return both


def merge_flags(argument, forms):
    for form in reversed(forms.values()):
        for flag in form.deprecated_flags:
            if flag not in argument.deprecated_flags:
                argument.deprecated_flags.append(flag)
        for flag in form.flags:
            if flag not in argument.flags and flag not in argument.deprecated_flags:
                argument.flags.append(flag)
        for flag, value in form.stores.items():
            if argument.stores.setdefault(flag, value) != value:
                argument.notes.append(f"{flag} stores another value in older releases; not modelled")
    argument.flags = [flag for flag in argument.flags if flag not in argument.deprecated_flags]
    for flag in argument.flags + argument.deprecated_flags:
        holders = having(forms, lambda form: flag in form.flags + form.deprecated_flags)
        if text := ranges_of(holders, list(forms)):
            argument.flag_versions[flag] = text
    for flag in argument.deprecated_flags:
        holders = having(forms, lambda form: flag in form.deprecated_flags)
        if text := ranges_of(holders, list(forms)):
            argument.deprecated_versions[flag] = text


def merge_choices(argument, forms):
    if len({bool(form.choices) for form in forms.values()}) > 1:
        argument.notes.append("not every release has a list of choices; the newest one's counts")
        return
    if not argument.choices:
        return
    for form in reversed(forms.values()):
        argument.choices = joined(argument.choices, form.choices)
    for choice in argument.choices:
        if text := ranges_of(having(forms, lambda form: choice in form.choices), list(forms)):
            argument.choice_versions[choice] = text


def merge_defaults(argument, forms):
    argument.nullable = any(form.nullable for form in forms.values())
    values = {release: form.default for release, form in forms.items()}
    for value, holders in runs(values):
        if value != argument.default or type(value) is not type(argument.default):
            argument.default_versions[ranges_of(holders, list(forms))] = value


def in_release(arguments, release):
    """{name: {key: value}} as `read_arguments` gives it, without what other releases have, in the words that an
    extraction of this release alone would choose."""
    found = {}
    for name, facts in arguments.items():
        if not holds(facts.get("versions"), release):
            continue
        own = {key: value for key, value in facts.items() if not key.endswith("versions")}
        for key, ranges in (("choices", "choice_versions"), ("flags", "flag_versions"),
                            ("deprecated_flags", "flag_versions")):
            if key in own and ranges in facts:
                own[key] = [item for item in own[key] if holds(facts[ranges].get(item), release)]
        restore_deprecated(own, facts.get("deprecated_versions", {}), release)
        for text, value in facts.get("default_versions", {}).items():
            if holds(text, release):
                own["default"] = value
                own["nullable"] = value is None
        if "stores" in own:
            flags = own.get("flags", []) + own.get("deprecated_flags", [])
            stores = {flag: value for flag, value in own["stores"].items() if flag in flags}
            own["stores"] = stores if len(stores) == len(own["stores"]) or False in stores.values() else {}
        found[name] = {key: value for key, value in own.items()
                       if key == "default" or not (value is False or value in ([], {}))}
    return found


def restore_deprecated(own, ranges, release):
    plain = [flag for flag in own.get("deprecated_flags", []) if not holds(ranges.get(flag), release)]
    if plain:
        own["deprecated_flags"] = [flag for flag in own["deprecated_flags"] if flag not in plain]
        own["flags"] = own.get("flags", []) + plain


def holds(text, release):
    return not text or covers(text, release)


def oldest_first(by_release):
    return dict(sorted(by_release.items(), key=lambda item: numbers_of(item[0])))
