def add_cli_args(parser):
    parser.error("the shop is closed on day {}".format(7))
