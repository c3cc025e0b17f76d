class Paint:
    _NS_PATH = "paint"

    colour: A[str, Arg(choices=["red", "blue", "green"])] = "red"
    coats: A[int, "plain"] = 2
    gloss: A[bool, "a switch"] = False
    primer: A[bool, "a switch"] = False
    roller: A[str, Arg(choices=["foam", "wool"])] = "foam"
    shade: A[float, "in this release alone"] = 0.5
    drying: A[float, "of another type"] = 1.0
    layers: A[Optional[int], "without choices"] = None


class Tools:
    _NS_PATH = "tools"

    brush: A[str, "plain"] = "flat"
