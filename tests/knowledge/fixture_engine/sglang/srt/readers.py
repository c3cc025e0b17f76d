from enum import IntEnum

READER_NAMES = ["plain", "braille"]
KERNELS = {"pytorch", "flashinfer"}


class HashMode(IntEnum):
    NONE = 0
    ALL = 1


class Writers:
    ByName: dict = {
        "pen": PenWriter,
        "brush": BrushWriter,
    }
