class Paint:
    _NS_PATH = "paint"

    colour: A[str, Arg(choices=["red", "blue"])] = "blue"
    gloss: A[int, "How shiny it is."] = 7
    layers: A[int, "How often it is painted."] = 2
