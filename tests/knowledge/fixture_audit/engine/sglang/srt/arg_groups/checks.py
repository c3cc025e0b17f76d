"""Messages in every form the audit reads."""

PREFIX = "Paint shop:"
SIZES = "sizes {} and {} do not fit"


def check(cfg, logger, names):
    if cfg.gloss < 0:
        raise ValueError(f"gloss must be positive, got {cfg.gloss}.")
    assert cfg.layers < 9, "at most %d layers, got %d" % (8, cfg.layers)
    if cfg.colour == "red":
        raise ValueError("red paint is " + cfg.reason + " sold out here")
    logger.warning("%s is set to blue because the shop is out of it", cfg.colour)
    logger.info("an information needs no record")
    message = f"{PREFIX} the brush {names[0]!r} is missing"
    raise RuntimeError(message)


def sizes(a, b):
    raise ValueError(SIZES.format(a, b))


def later(fault):
    raise ValueError(fault)
