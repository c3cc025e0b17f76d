import argparse
import json
from typing import Dict, List, Literal, Optional, Union

from sglang.srt.arg_groups.choices import COLOURS, SHAPES, Mode

MEGA = 1000 * 1000


class First:
    _NS_PATH = "first"

    not_an_argument = Derived(doc="computed")

    path: A[str, Arg(help="required", aliases=["--where"])]
    size: A[int, "plain"] = 2 * MEGA
    share: A[Optional[float], "nullable"] = None
    ratio: A[float, "an int default of a float"] = 1
    fast: A[bool, "store true"] = False
    fused: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None
    colour: A[str, Arg(choices=COLOURS + ["blue"])] = "red"
    shape: A[Optional[str], Arg(choices=SHAPES)] = None
    mode: A[str | None, Arg(choices=Mode.ALL, cli_name="--speed-mode")] = Mode.FAST
    level: A[Literal[1, 2], "literal"] = 1
    answer: A[Literal["yes", "null"], "words YAML would misread"] = "null"
    names: A[Optional[List[str]], "list"] = None
    extra: A[Optional[Dict], Arg(type_parser=json.loads)] = None
    either: A[Optional[Union[str, Dict]], "union"] = None
    adapters: A[Optional[list], Arg(action=LoRAPathAction, nargs="*")] = None
    shapes: A[Optional[Union[set[str], List[str]]], Arg(choices=SHAPES, nargs="*")] = None
    tokens: A[Optional[int], Arg(type_parser=human_readable_int)] = None
    maybe: A[Optional[str], Arg(nargs="?", const="")] = None
    hidden: A[bool, Arg(no_cli=True)] = False
    odd: A[str, Arg(choices=compute_choices())] = guess()
    late: Optional[str] = None
    reader: Optional[str] = None
    writer: Optional[str] = None
    kernel: Optional[str] = None
    hash: str = "none"


class NotANamespace:
    ignored: A[int, "no _NS_PATH"] = 1
