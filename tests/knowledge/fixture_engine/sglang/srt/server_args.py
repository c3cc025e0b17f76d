def add_cli_args(parser):
    parser.add_argument("--late", choices=["a", "b"])
    parser.add_argument("--config", type=str)
    parser.add_argument("--hidden", action=DeprecatedStoreTrueAction, new_flag="--shown")
    parser.add_argument("--old-fast", action=DeprecatedStoreConstAction, dest="fast", nargs=None, const_value=True)
