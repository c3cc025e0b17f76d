"""SGLang's server, checked before it starts: python launch_sglang.py --model-path MODEL ...

What the engine would refuse, most of it after minutes of loading, is said at once, with every reason and a repair.
"""
import sys

import assay.sglang
from sglang.launch_server import run_server
from sglang.srt.server_args import prepare_server_args


def main() -> None:
    server_args = prepare_server_args(sys.argv[1:])
    report = assay.sglang.preflight(server_args)
    for finding in report.findings:
        print(f"{finding.severity}: {finding.message}", file=sys.stderr)
    if not report.ok:
        for repair in report.repairs[:1]:
            print(f"help: {repair.why}", file=sys.stderr)
        sys.exit(1)
    run_server(server_args)


if __name__ == "__main__":
    main()
