def add_cli_args(parser):
    parser.add_argument("--config", type=str)
