// How a tensor comes out of a Python object, quickest way first: PyTorch's own exporter, which does
// not wait for a stream as its __dlpack__ does; __dlpack__(); the same with max_version, which
// alone lets NumPy hand out an array that may not be written; and for element types that a library
// cannot export (NumPy's FP8 and bfloat16 of ml_dtypes, FP8 of an older PyTorch) a view of the same
// memory as unsigned integers, whose element type is put right here.
#include "engine/bindings/python/borrowed_tensor.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::python {
namespace {

namespace nb = nanobind;

constexpr const char* kPlain = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";
constexpr std::uint64_t kReadOnlyFlag = 1;
constexpr std::size_t kMostSeen = 32;

// DLManagedTensorVersioned, which older headers of DLPack lack.
struct VersionedTensor {
  std::uint32_t major;
  std::uint32_t minor;
  void* manager_ctx;
  void (*deleter)(VersionedTensor* self);
  std::uint64_t flags;
  DLTensor tensor;
};

struct TypeName {
  std::string_view name;
  DLDataType type;
};
constexpr std::array kReinterpreted{
    TypeName{"float8_e4m3fn", {10, 8, 1}},   TypeName{"float8_e5m2", {12, 8, 1}},
    TypeName{"float8_e4m3fnuz", {11, 8, 1}}, TypeName{"float8_e5m2fnuz", {13, 8, 1}},
    TypeName{"float8_e8m0fnu", {14, 8, 1}},  TypeName{"bfloat16", {4, 16, 1}},
};

std::string class_of(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

[[noreturn]] void refuse(PyObject* kind, const char* name, const std::string& what) {
  PyErr_SetString(kind, (std::string(name) + ": " + what).c_str());
  throw nb::python_error();
}

enum class Library : std::uint8_t { numpy, torch, other };

Library library_of(nb::handle object) {
  static PyObject* const attribute = PyUnicode_InternFromString("__module__");
  const nb::object module =
      nb::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), attribute));
  if (!module.is_valid()) PyErr_Clear();
  if (!module.is_valid() || !nb::isinstance<nb::str>(module)) return Library::other;
  const std::string_view name = nb::borrow<nb::str>(module).c_str();
  if (name.substr(0, 5) == "torch") return Library::torch;
  return name == "numpy" ? Library::numpy : Library::other;
}

// Nothing, and Python's error set, where it fails.
nb::object exported(nb::handle object, Library library) {
  static PyObject* const method = PyUnicode_InternFromString("__dlpack__");
  if (library != Library::torch) return nb::steal(PyObject_CallMethodNoArgs(object.ptr(), method));
  const nb::object module = nb::module_::import_("torch.utils.dlpack");
  return nb::steal(PyObject_CallOneArg(module.attr("to_dlpack").ptr(), object.ptr()));
}

// The element type of `object` where it is one of those that are reinterpreted. A library has one
// object for each type: those seen are remembered, since reading a name costs more than all else of
// a check. Under the interpreter lock.
const DLDataType* reinterpreted_type(nb::handle object) {
  struct Seen {
    PyObject* dtype;  // kept, so that no other gets its address
    const DLDataType* type;
  };
  static std::vector<Seen> seen;
  static PyObject* const attribute = PyUnicode_InternFromString("dtype");
  const nb::object dtype = nb::steal(PyObject_GetAttr(object.ptr(), attribute));
  if (!dtype.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  for (const Seen& one : seen)
    if (one.dtype == dtype.ptr()) return one.type;
  // "torch.float8_e4m3fn" and dtype('float8_e4m3fn') are both called float8_e4m3fn.
  std::string name = nb::cast<std::string>(nb::str(nb::getattr(dtype, "name", dtype)));
  name.erase(0, name.rfind('.') + 1);
  const TypeName* const found = std::find_if(kReinterpreted.begin(), kReinterpreted.end(),
                                             [&](const TypeName& one) { return one.name == name; });
  const DLDataType* const type = found == kReinterpreted.end() ? nullptr : &found->type;
  if (seen.size() < kMostSeen && !nb::isinstance<nb::str>(dtype))
    seen.push_back({nb::object(dtype).release().ptr(), type});
  return type;
}

}  // namespace

BorrowedTensor::~BorrowedTensor() {
  if (lent_name_ != nullptr) PyCapsule_SetName(capsule_.ptr(), lent_name_);
}

void BorrowedTensor::borrow(nb::handle object, const char* name) {
  if (object.is_none()) return;
  if (PyCapsule_CheckExact(object.ptr())) {
    look_into(nb::borrow(object), name);
    lent_name_ = PyCapsule_GetName(object.ptr());
    PyCapsule_SetName(object.ptr(), lent_name_ == std::string_view(kPlain)
                                        ? "used_dltensor"
                                        : "used_dltensor_versioned");
    return;
  }
  const Library library = library_of(object);
  if (library == Library::numpy && reinterpret(object, name)) return;
  nb::object capsule = exported(object, library);
  if (capsule.is_valid()) return look_into(std::move(capsule), name);

  if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    refuse(PyExc_TypeError, name,
           "expected a tensor (something with __dlpack__, or a DLPack capsule), got " +
               class_of(object));
  }
  nb::python_error fault;  // what Python says, and the cause of what we say
  if (library == Library::torch && reinterpret(object, name)) return;
  try {
    capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error&) {
    nb::raise_from(fault, PyExc_ValueError, "%s: cannot be exported by DLPack: %s", name,
                   nb::str(fault.value()).c_str());
  }
  look_into(std::move(capsule), name);
}

void BorrowedTensor::look_into(nb::object capsule, const char* name) {
  if (!PyCapsule_CheckExact(capsule.ptr()))
    refuse(PyExc_TypeError, name, "__dlpack__ gave no capsule, but " + class_of(capsule));
  if (PyCapsule_IsValid(capsule.ptr(), kPlain) != 0) {
    tensor_ =
        &static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kPlain))->dl_tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), kVersioned) != 0) {
    const auto* const managed =
        static_cast<VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
    if (managed->major != 1)
      refuse(PyExc_ValueError, name,
             "a tensor of DLPack " + std::to_string(managed->major) + "." +
                 std::to_string(managed->minor) + ", where 1 is understood");
    tensor_ = &managed->tensor;
    is_read_only_ = (managed->flags & kReadOnlyFlag) != 0;
  } else {
    const char* const given = PyCapsule_GetName(capsule.ptr());
    const std::string_view found = given == nullptr ? "" : given;
    if (found.substr(0, 5) == "used_")
      refuse(PyExc_ValueError, name, "the DLPack capsule has been used already");
    refuse(PyExc_TypeError, name,
           "a capsule named \"" + std::string(found) + "\", where \"dltensor\" is wanted");
  }
  capsule_ = std::move(capsule);
}

// Of an array of NumPy or PyTorch. False: the element type needs no help of ours.
bool BorrowedTensor::reinterpret(nb::handle object, const char* name) {
  const DLDataType* const type = reinterpreted_type(object);
  if (type == nullptr) return false;
  const bool is_byte = type->bits == 8;
  nb::object integers;
  if (library_of(object) == Library::torch)
    integers = nb::module_::import_("torch").attr(is_byte ? "uint8" : "int16");
  else
    integers = nb::str(is_byte ? "uint8" : "uint16");
  const nb::object view = object.attr("view")(integers);
  borrow(view, name);
  retyped_ = *tensor_;
  retyped_.dtype = *type;
  tensor_ = &retyped_;
  return true;
}

}  // namespace assay::python
