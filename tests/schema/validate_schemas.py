#!/usr/bin/env python3
"""Holds our JSON Schemas against documents: what the readers' golden cases read without a fault must
be valid, every shipped record and rule file too, and a few broken documents must not be.

Needs the Python modules jsonschema and yaml; exits 77 (skipped) where one is missing.
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACK_SCHEMAS = {name: f"rules/schema/{name}.schema.json" for name in ("pack", "arguments", "facts", "rule")}


def validator(path):
    schema = json.loads((ROOT / path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


VALIDATORS = {name: validator(path) for name, path in PACK_SCHEMAS.items()}
MODELS = validator("rules/schema/models.schema.json")
MATRICES = validator("rules/schema/matrices.schema.json")
RETIRED = validator("dataset/schema/retired.schema.json")
CONTRACT = validator("rules/schema/contract.schema.json")
RECORDS = {v: validator(f"dataset/schema/error-record.v{v}.schema.json") for v in (2, 3)}


def faults_of_pack_file(folder, path):
    name = path.stem if path.parent == folder and path.stem in VALIDATORS else "rule"
    return list(VALIDATORS[name].iter_errors(yaml.safe_load(path.read_text())))


def faults_of_record(document):
    record = document.get("record", document)
    return list(RECORDS[record["schemaVersion"]].iter_errors(document))


def valid_documents():
    """Yields (name, faults) of each document that must be valid."""
    golden = ROOT / "tests/golden/read"
    packs = [path.parent for path in (ROOT / "rules").glob("*/pack.yaml")]
    packs += golden.glob("pack_good/input/rules/*")
    for folder in packs:
        for path in sorted(folder.rglob("*.yaml")):
            yield path, faults_of_pack_file(folder, path)
    models = ROOT / "rules/models.yaml"
    yield models, list(MODELS.iter_errors(yaml.safe_load(models.read_text())))
    for path, schema in ((ROOT / "rules/matrices.yaml", MATRICES), (ROOT / "dataset/retired.yaml", RETIRED)):
        if path.is_file():
            yield path, list(schema.iter_errors(yaml.safe_load(path.read_text())))
    contracts = [*(ROOT / "rules/kernels").glob("*.yaml"), *golden.glob("contract_good/input/*.yaml")]
    for path in sorted(contracts):
        yield path, list(CONTRACT.iter_errors(yaml.safe_load(path.read_text())))
    records = [p for p in (ROOT / "dataset").rglob("*.json") if p.parent.name != "schema"]
    for case in ("record_version_2_bare", "record_version_3", "record_enveloped"):
        records.append(golden / case / "input/record.json")
    for path in sorted(records):
        yield path, faults_of_record(json.loads(path.read_text()))


def broken_documents():
    """Yields (name, faults) of documents that must not be valid."""
    record = json.loads((ROOT / "tests/golden/read/record_version_3/input/record.json").read_text())
    for key, value in [("id", "50F8"), ("slug", "No Slug"), ("analyzedAt", "today"), ("unknown", 1),
                       ("solutions", [1]), ("lineNumber", 0), ("status", "gone"), ("seeAlso", [{}]),
                       ("exampleProof", {"facts": {}}), ("exampleProof", {"none": "shadowed"}),
                       ("exampleProof", {"facts": {"gpu.sm": 90}, "none": "shadowed", "reason": "x"})]:
        yield f"record with {key}", faults_of_record({**record, key: value})
    missing = copy.deepcopy(record)
    del missing["typeGuard"]
    yield "record without typeGuard", faults_of_record(missing)
    yield "version 2 with keys of 3", faults_of_record({**record, "schemaVersion": 2})

    folder = ROOT / "tests/golden/read/pack_good/input/rules/toy"
    rule = yaml.safe_load((folder / "area/backend-b-on-old-gpu.yaml").read_text())
    changes = {"severity": "fatal", "when": [], "fix": [{"why": "x"}], "examples": [{}], "source": {"file": "x"}, "x": 1}
    for key, value in changes.items():
        yield f"rule with {key}", list(VALIDATORS["rule"].iter_errors({**rule, key: value}))
    del rule["require"]
    yield "rule without require", list(VALIDATORS["rule"].iter_errors(rule))


def main():
    failures = 0
    checked = 0
    for name, faults in valid_documents():
        checked += 1
        for fault in faults:
            failures += 1
            print(f"{name}: {fault.json_path}: {fault.message[:300]}")
    for name, faults in broken_documents():
        checked += 1
        if not faults:
            failures += 1
            print(f"{name}: accepted, but it is broken")
    print(f"{checked} documents, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
