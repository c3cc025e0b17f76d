COLOURS = ["red", "green"]
SHAPES = frozenset({"square", "circle"})
add_colour = COLOURS.append


class Mode:
    FAST = "fast"
    SLOW = "slow"
    ALL = (FAST, SLOW)
