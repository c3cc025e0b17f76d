class Paint:
    _NS_PATH = "paint"

    colour: A[str, Arg(choices=["red", "blue", "green"])] = "red"
    coats: A[int, Arg(aliases=["--layers-of-paint"])] = 1
    gloss: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None
    primer: bool = False
    roller: A[str, Arg(choices=["foam", "wool", "felt"])] = "wool"
    drying: A[float, "of another type"] = 1.0
    layers: A[Optional[Literal[1, 2]], "with choices"] = None


class Tools:
    _NS_PATH = "tools"

    brush: A[str, "plain"] = "flat"
    ladder: A[bool, "new"] = False
