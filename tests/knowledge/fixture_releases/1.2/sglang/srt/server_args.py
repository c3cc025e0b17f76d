def add_cli_args(parser):
    parser.add_argument("--config", type=str)
    parser.add_argument("--primer", action=DeprecatedStoreTrueAction, new_flag="--coats")
