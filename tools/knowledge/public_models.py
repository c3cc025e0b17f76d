#!/usr/bin/env python3
"""The table of public models, rules/models.yaml: makes an entry from a config.json, and says which keys rules read in vain.

Use:  public_models.py entry OWNER/NAME --source KEY [--quantization hf_quant_config.json] config.json   prints the entry
      public_models.py check      exit status 1: rules read keys of config.json that the table does not keep
      public_models.py config OWNER/NAME      prints what the table knows as a config.json, for --model-config
"""

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

import yaml
from argument_yaml import flow

RULES = Path(__file__).resolve().parents[2] / "rules"
PARTS = {"text_config", "llm_config", "language_config", "thinker_config"}  # maps with the same keys again
NESTED = {"quantization_config", "compression_config"}
MODULES = {"ignored_layers", "modules_to_not_convert", "quantized_layers"}
READ = re.compile(r"model\.(?:config|text_config)((?:\.[a-z][a-z0-9_]*)+)")
READ_QUANTIZATION = re.compile(r"model\.(?:config\.)?quantization_config\.([a-z][a-z0-9_]*)")


def one_of_each_form(modules):
    """Of modules that differ only in numbers, the first: 94 layers say no more than one."""
    kept, seen = {}, set()
    for module in modules:
        value = modules[module] if isinstance(modules, dict) else None
        form = re.sub(r"\d+", "0", module), json.dumps(value, sort_keys=True)
        if form not in seen:
            seen.add(form)
            kept[module] = value
    return kept if isinstance(modules, dict) else list(kept)


def cut_group(group):
    weights = group.get("weights") or {}
    kept = {"weights": {k: weights[k] for k in ("num_bits", "type", "strategy", "group_size", "dynamic") if k in weights}}
    return kept | ({"format": group["format"]} if group.get("format") else {})


def cut_quantization(config, keys):
    kept = {}
    for key in keys:
        value = config.get(key)
        if key in MODULES and value:
            value = one_of_each_form(value)
        elif key == "config_groups" and value:
            value = {name: cut_group(group) for name, group in value.items()}
        if key in config:
            kept[key] = value
    return kept


def cut(config, table):
    """What the table keeps of a config.json, in the table's order."""
    kept = {}
    for key in table["keys"]:
        if key not in config:
            continue
        value = config[key]
        if isinstance(value, dict):
            if key in PARTS:
                value = cut(value, table)
            elif key in NESTED:
                value = cut_quantization(value, table["quantization_keys"])
            elif key in ("vision_config", "audio_config"):
                value = {}
        kept[key] = value
    return kept


def checkpoint_quantization(quantization):
    """The engine's name for what a ModelOpt export says in hf_quant_config.json."""
    algorithm = quantization.get("quant_algo") or ""
    if algorithm == "MIXED_PRECISION":
        layers = (quantization.get("quantized_layers") or {}).values()
        nvfp4 = any(str(layer.get("quant_algo", "")).upper() in ("NVFP4", "W4A16_NVFP4") for layer in layers)
        return "modelopt_mixed" if nvfp4 else "w4afp8"
    if "FP4" in algorithm:
        return "modelopt_fp4"
    return {"FP8": "modelopt_fp8", "MXFP8": "mxfp8"}.get(algorithm)


def folded(key, value):
    return textwrap.fill(f"    {key}: {flow(value)}", 140, subsequent_indent="      ", break_long_words=False,
                         break_on_hyphens=False)


def entry(options, table):
    config = json.loads(options.config.read_text())
    lines = [f"  {options.name}:", f"    source: {options.source}", folded("config", cut(config, table))]
    if options.quantization and not config.get("quantization_config"):
        kind = checkpoint_quantization(json.loads(options.quantization.read_text())["quantization"])
        lines.append(folded("facts", {"model.checkpoint_quantization": kind}))
    return "\n".join(lines)


def missing_keys(table):
    """Keys that a fact or rule reads and no entry can have."""
    kept, nested = set(table["keys"]), set(table["quantization_keys"])
    missing = set()
    for path in RULES.glob("*/**/*.yaml"):
        text = path.read_text()
        missing |= {f"quantization_config.{key}" for key in READ_QUANTIZATION.findall(text) if key not in nested}
        for dotted in READ.findall(text):
            keys = [key for key in dotted[1:].split(".") if key not in PARTS | {"quantization_config"}]
            if keys and keys[0] not in kept | nested | {"filter", "exists"}:
                missing.add(keys[0])
    return sorted(missing)


def find(table, name):
    for model, known in table["models"].items():
        if name.lower() in [each.lower() for each in (model, *known.get("also", []))]:
            return known["config"]
    return None


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    adding = verbs.add_parser("entry")
    adding.add_argument("name")
    adding.add_argument("config", type=Path)
    adding.add_argument("--source", required=True)
    adding.add_argument("--quantization", type=Path)
    verbs.add_parser("check")
    verbs.add_parser("config").add_argument("name")
    options = parser.parse_args(arguments)
    table = yaml.safe_load((RULES / "models.yaml").read_text())
    if options.verb == "entry":
        print(entry(options, table))
        return 0
    if options.verb == "config":
        known = find(table, options.name)
        print(json.dumps(known) if known is not None else f"no entry is called {options.name}",
              file=sys.stdout if known is not None else sys.stderr)
        return 0 if known is not None else 1
    missing = missing_keys(table)
    for key in missing:
        print(f"rules read `{key}` of config.json, which rules/models.yaml does not keep")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
