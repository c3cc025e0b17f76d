#!/usr/bin/env python3
"""Proves that each shipped error record says all that its page shows: what happened, when, what to do, how to keep it from
coming back, an example of the message and a real message like it that is another error. Prints one line a fault; exit
status 1 when there is one.

    tools/check_records.py [ROOT]

A record of an SGLang message needs an example fix too, unless it is one of those below.
"""
import json
import pathlib
import sys

ALWAYS = ("documentation", "triggerScenarios", "commonSituations", "solutions", "preventionTips", "tags", "backgroundTag",
          "examples", "nearMisses")

# A tip that many records share says nothing about one of them.
MOST_RECORDS_OF_A_TIP = 3

# What no edit of a launch, a call or an environment mends.
WITHOUT_FIX = frozenset({
    "5d05ff84346e313a",  # the heading above another exception's traceback
})


def records_below(root):
    for path in sorted((root / "dataset").glob("*/*.json")):
        if path.parent.name != "schema":
            document = json.loads(path.read_text(encoding="utf-8"))
            yield path.relative_to(root), document.get("record", document)


def faults_of(root):
    records_of_tip = {}
    for path, record in records_below(root):
        for key in ALWAYS:
            if not record.get(key):
                yield f"{path}: no {key}"
        is_sglang = path.parent.name == "sglang"
        if is_sglang and not record.get("exampleFix") and record["id"] not in WITHOUT_FIX:
            yield f"{path}: no exampleFix"
        if record.get("exampleFix") and record["id"] in WITHOUT_FIX:
            yield f"{path}: it has an exampleFix, and is listed as a record without one"
        for tip in record.get("preventionTips") or ():
            records_of_tip.setdefault(tip, []).append(path)
    for tip, paths in records_of_tip.items():
        if len(paths) > MOST_RECORDS_OF_A_TIP:
            yield f"{paths[0]}: {len(paths)} records have the tip `{tip}`"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    faults = list(faults_of(root))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
