class Paint:
    _NS_PATH = "paint"

    colour: A[str, Arg(choices=["red", "white", "blue"])] = "red"
    coats: A[int, "plain"] = 1
    gloss: A[bool, "a switch"] = False
    primer: A[bool, "a switch"] = False
    thinner: A[str, "gone afterwards"] = "none"
    drying: A[int, "of another type afterwards"] = 1
    layers: A[Optional[int], "without choices"] = None


class Tools:
    _NS_PATH = "tools"

    brush: A[str, "plain"] = "flat"
