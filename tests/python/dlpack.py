"""DLPack capsules made by hand, for what no library at hand exports: FP8, foreign devices, nonsense."""
import ctypes


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("dl_tensor", DLTensor)]


FLOAT8_E4M3FN = (10, 8)
INT32 = (0, 32)
FLOAT32 = (2, 32)
BFLOAT16 = (4, 16)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype = ctypes.c_char_p
_name_of.argtypes = [ctypes.py_object]

_alive = []  # what capsules point to


def capsule(address, dtype, shape, *, strides=None, device=(1, 0), offset=0, version=None, flags=0, name=None):
    """Of the memory at `address`, which the caller keeps."""
    managed = DLManagedTensor() if version is None else DLManagedTensorVersioned(*version)
    if version is not None:
        managed.flags = flags
    tensor = managed.dl_tensor
    tensor.data, (tensor.device_type, tensor.device_id) = address, device
    tensor.ndim, (tensor.code, tensor.bits), tensor.lanes = len(shape), dtype, 1
    tensor.shape = (ctypes.c_int64 * len(shape))(*shape)
    if strides is not None:
        tensor.strides = (ctypes.c_int64 * len(strides))(*strides)
    tensor.byte_offset = offset
    name = name or (b"dltensor" if version is None else b"dltensor_versioned")
    _alive.append((managed, tensor.shape, tensor.strides, name))
    return _new_capsule(ctypes.addressof(managed), name, None)


def name_of(a_capsule):
    return _name_of(a_capsule).decode()


def consume(a_capsule):
    """As a library does that takes a tensor over."""
    _rename(a_capsule, b"used_dltensor")


class Exporter:
    """Something with __dlpack__ that gives what it is told to."""

    def __init__(self, given):
        self.given = given

    def __dlpack__(self, **_):
        return self.given
