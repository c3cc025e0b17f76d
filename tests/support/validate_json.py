"""Validates a JSON document against a JSON Schema: validate_json.py [--strict] SCHEMA DOCUMENT.

With --strict an object may have no property that the schema does not list. Exits with 0 when the
document is valid, 1 when it is not, 77 when the jsonschema package is missing.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def forbid_unlisted(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            forbid_unlisted(value)
    elif isinstance(schema, list):
        for value in schema:
            forbid_unlisted(value)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--strict"]
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    with open(arguments[1], encoding="utf-8") as file:
        document = json.load(file)
    if "--strict" in sys.argv:
        forbid_unlisted(schema)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    faults = list(validator(schema).iter_errors(document))
    for fault in faults[:10]:
        print("/".join(str(p) for p in fault.absolute_path) + ": " + fault.message[:400])
    return 1 if faults else 0


sys.exit(main())
