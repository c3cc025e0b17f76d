from sglang.srt.readers import KERNELS, Writers


def _names():
    from sglang.srt.readers import READER_NAMES

    return list(READER_NAMES)


def _modes():
    from sglang.srt.readers import HashMode

    return list(HashMode)


def add_cli_args(parser):
    parser.add_argument("--late", choices=["a", "b"])
    readers = _names()
    parser.add_argument("--reader", choices=["auto"] + readers)
    parser.add_argument("--writer", choices=list(Writers.ByName.keys()))
    kernels = set(KERNELS)
    if envs.ORACLE.get():
        kernels.add("oracle")
    parser.add_argument("--kernel", choices=kernels)
    parser.add_argument("--hash", choices=[m.name.lower() for m in _modes()])
    parser.add_argument("--config", type=str)
    parser.add_argument("--hidden", action=DeprecatedStoreTrueAction, new_flag="--shown")
    parser.add_argument("--old-fast", action=DeprecatedStoreConstAction, dest="fast", nargs=None, choices=["gear"], const_value=True)
