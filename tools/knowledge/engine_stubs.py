"""Fakes for what the engine imports and a CPU machine has not: torch, triton, kernels, servers.

How: a finder at the end of `sys.meta_path` answers for every top-level name in STUBBED that is not
installed, and for everything below it. A faked module makes its attributes as they are asked for: classes
that can be subclassed, called, used as decorators, compared and indexed. `install` then says by hand the
few things resolution reads: versions, the data types, and what machine this is.

What it does not do: compute. A verdict that depends on a tensor's value is worthless here.
"""

import abc
import contextlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
import types
from dataclasses import dataclass
from pathlib import Path

STUBBED = {
    "torch", "torchvision", "torchaudio", "torchao", "triton", "triton_kernels", "sgl_kernel", "flashinfer", "flash_attn",
    "deep_gemm", "deep_ep", "flash_mla", "cutlass", "cuda", "nvtx", "pynvml", "xgrammar", "llguidance", "outlines",
    "outlines_core", "tilelang", "quack", "humming", "mooncake", "nixl", "decord", "soundfile", "av", "torchcodec",
    "uvloop", "uvicorn", "setproctitle", "zmq", "blobfile", "gguf", "datasets", "IPython", "interegular",
    "partial_json_parser", "tiktoken", "sentencepiece", "einops", "openai", "openai_harmony", "anthropic",
    "mistral_common", "modelscope", "prometheus_client", "scipy", "timm", "watchfiles", "tvm_ffi", "numba",
    "torch_memory_saver", "multipart", "easydict", "distro", "cutedsl", "nvshmem", "kernels", "loguru",
    "compressed_tensors", "safetensors_rust", "llvmlite", "pyspy", "zstandard", "msgpack", "ray", "mori",
}
TORCH_VERSION = "2.14.1"
ABSENT = {"torch.npu", "torch.version.musa"}  # their presence alone says what machine it is
DTYPES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1,
    "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1, "int64": 8,
    "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex64": 8,
}
DTYPE_ALIASES = {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64",
                 "short": "int16"}


MODELS = Path(__file__).resolve().parent / "differential_models"  # configurations by shape, without weights


@dataclass(frozen=True)
class Machine:
    """What the engine believes it runs on: an NVIDIA GPU of this kind, eight of them."""
    name: str
    capability: tuple
    memory_mib: int
    sm_count: int
    gpus: int = 8


MACHINES = {
    "H200": Machine("NVIDIA H200", (9, 0), 143771, 132),
    "B200": Machine("NVIDIA B200", (10, 0), 183359, 148),
    "A100": Machine("NVIDIA A100-SXM4-80GB", (8, 0), 81920, 108),
    "L40S": Machine("NVIDIA L40S", (8, 9), 46068, 142),
    "RTX5090": Machine("NVIDIA GeForce RTX 5090", (12, 0), 32607, 170),
}


class FakeClass(abc.ABCMeta):
    """Classes whose attributes appear when they are asked for."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return fake(f"{cls.__name__}.{name}")

    def __call__(cls, *args, **keywords):
        """Of a faked class: as a decorator, gives back what it decorates. Of a class derived from one: an object."""
        if cls.__dict__.get("_is_fake"):
            if len(args) == 1 and not keywords and isinstance(args[0], (types.FunctionType, type)):
                return args[0]
            return super().__call__()
        return super().__call__(*args, **keywords)

    def __int__(cls):
        return 0

    def __iter__(cls):
        return iter(())

    def __getitem__(cls, _):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __lt__(cls, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __contains__(cls, _):
        return False

    def __len__(cls):
        return 0

    def __enter__(cls):
        return cls

    def __exit__(cls, *_):
        return False


class FakeObject(metaclass=FakeClass):
    def __init__(self, *_args, **_keywords):
        pass

    def __init_subclass__(cls, **_keywords):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return fake(name)

    def __call__(self, *args, **keywords):
        if len(args) == 1 and not keywords and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return fake("result")()

    def __class_getitem__(cls, _):
        return cls

    def __getitem__(self, _):
        return fake("item")()

    def __setitem__(self, *_):
        pass

    def __int__(self):
        return 0

    def __float__(self):
        return 0.0

    def __index__(self):
        return 0

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __add__(self, _):
        return self

    __sub__ = __mul__ = __truediv__ = __floordiv__ = __radd__ = __rsub__ = __rmul__ = __or__ = __ror__ = __neg__ = __add__


def fake(name):
    return FakeClass(name, (FakeObject,), {"_is_fake": True, "__module__": "fake"})


class FakeModule(types.ModuleType):
    def __getattr__(self, name):
        if name == "__version__":
            return "99.0.0"
        if name.startswith("__") or f"{self.__name__}.{name}" in ABSENT:
            raise AttributeError(name)
        made = fake(name)
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers for the stubbed names; stands last, so an installed package is taken as it is."""

    def __init__(self, absent):
        self.absent = absent

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in STUBBED or top in self.absent:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = FakeModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


class Library:
    """torch.library.Library: operators are registered and never called."""

    def __init__(self, namespace="", kind="", *_):
        self.ns, self.kind = namespace, kind

    def define(self, *_args, **_keywords):
        pass

    impl = _register_fake = define


class Dtype:
    def __init__(self, name, size):
        self.name, self.itemsize = name, size
        self.is_floating_point = "float" in name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


def set_torch(machine):
    """The parts of torch that resolution reads."""
    import torch

    torch.__version__ = TORCH_VERSION
    torch.version = FakeModule("torch.version")
    torch.version.cuda, torch.version.hip, torch.version.__version__ = "13.0", None, TORCH_VERSION
    sys.modules["torch.version"] = torch.version
    for name, size in DTYPES.items():
        setattr(torch, name, Dtype(name, size))
    for name, target in DTYPE_ALIASES.items():
        setattr(torch, name, getattr(torch, target))
    torch.dtype = Dtype
    torch.Size = tuple
    importlib.import_module("torch.library").Library = Library
    torch.finfo = lambda dtype: types.SimpleNamespace(max=448.0, min=-448.0, eps=1e-3, tiny=1e-30)
    torch.iinfo = lambda dtype: types.SimpleNamespace(max=2**31 - 1, min=-2**31)
    torch.is_grad_enabled = lambda: False
    torch.get_device_module = lambda *_: torch.cuda
    cuda = importlib.import_module("torch.cuda")
    torch.cuda = cuda
    memory = machine.memory_mib * 2**20
    cuda.is_available = lambda: True
    cuda.is_initialized = lambda: False
    cuda.device_count = lambda: machine.gpus
    cuda.current_device = lambda: 0
    cuda.get_device_capability = lambda *_: machine.capability
    cuda.get_device_name = lambda *_: machine.name
    cuda.mem_get_info = lambda *_: (memory, memory)
    cuda.get_device_properties = lambda *_: types.SimpleNamespace(
        name=machine.name, total_memory=memory, multi_processor_count=machine.sm_count,
        major=machine.capability[0], minor=machine.capability[1])
    for name in ("hpu", "xpu", "mps", "cpu"):
        backend = FakeModule(f"torch.{name}")
        backend.is_available = lambda: False
        sys.modules[f"torch.{name}"] = backend
        setattr(torch, name, backend)
    torch.cpu._is_amx_tile_supported = lambda: False


def install(machine, absent=()):
    """Makes the engine importable as on `machine`; `absent` names packages that are not installed there."""
    sys.meta_path.append(Finder(frozenset(absent)))
    import torch  # noqa: F401  the fake, or the real one where it is installed

    set_torch(machine)
    answer_versions()


def answer_versions():
    """`importlib.metadata.version` of a faked package: what the engine's own metadata pins."""
    real = importlib.metadata.version
    pinned = {"torch": TORCH_VERSION, "triton": "3.8.0"}
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for line in importlib.metadata.requires("sglang") or ():
            name, _, rest = line.partition("==")
            if rest:
                pinned[name.partition("[")[0].strip()] = rest.partition(";")[0].strip()

    def version(name):
        try:
            return real(name)
        except importlib.metadata.PackageNotFoundError:
            if name.replace("_", "-") in pinned or name in pinned:
                return pinned.get(name.replace("_", "-"), pinned.get(name))
            raise

    importlib.metadata.version = version
