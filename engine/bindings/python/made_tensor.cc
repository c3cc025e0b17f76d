// Every export is a managed tensor of its own whose context is a reference to the Python object:
// the memory goes when the object and all its exports are gone, in whatever order.
#include "engine/bindings/python/made_tensor.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

namespace assay::python {
namespace {

namespace nb = nanobind;

constexpr const char* kName = "dltensor";

void release_export(DLManagedTensor* self) {
  const nb::gil_scoped_acquire lock;
  Py_DECREF(static_cast<PyObject*>(self->manager_ctx));
  delete self;
}

// Who takes the tensor renames the capsule; then it is theirs to free.
void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName) == 0) return;
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  tensor->deleter(tensor);
}

// The same memory under another element type.
struct UnsignedView {
  nb::object tensor;
};

nb::object dlpack_of(nb::handle owner, bool is_unsigned, const nb::object& device,
                     const nb::object& copy) {
  if (!device.is_none() && !device.equal(nb::cast<MadeTensor&>(owner).device()))
    throw nb::buffer_error("the tensor is exported on the device that it is on");
  if (copy.is_valid() && nb::isinstance<nb::bool_>(copy) && nb::cast<bool>(copy))
    throw nb::buffer_error("the tensor is exported without a copy");
  return MadeTensor::export_capsule(owner, is_unsigned);
}

}  // namespace

nb::tuple MadeTensor::shape() const {
  const DLTensor& tensor = tensor_->dl_tensor;
  nb::list extents;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) extents.append(tensor.shape[axis]);
  return nb::tuple(extents);
}

nb::tuple MadeTensor::device() const {
  const DLDevice& device = tensor_->dl_tensor.device;
  return nb::make_tuple(static_cast<int>(device.device_type), device.device_id);
}

std::string MadeTensor::dtype() const {
  const DLDataType& type = tensor_->dl_tensor.dtype;
  return (type.code == kDLBfloat ? "bfloat" : "float") + std::to_string(type.bits);
}

std::string MadeTensor::repr() const {
  return "<assay.Tensor " + dtype() + " " + nb::cast<std::string>(nb::str(shape())) + ">";
}

nb::object MadeTensor::export_capsule(nb::handle self, bool is_unsigned) {
  auto exported = std::make_unique<DLManagedTensor>();
  exported->dl_tensor = nb::cast<MadeTensor&>(self).tensor_->dl_tensor;
  if (is_unsigned) exported->dl_tensor.dtype.code = kDLUInt;
  exported->manager_ctx = self.ptr();
  exported->deleter = release_export;
  nb::object capsule = nb::steal(PyCapsule_New(exported.get(), kName, drop_capsule));
  if (!capsule.is_valid()) throw nb::python_error();
  self.inc_ref();
  static_cast<void>(exported.release());
  return capsule;
}

void add_made_tensor(nb::module_& module) {
  nb::class_<UnsignedView>(module, "UnsignedTensor",
                           "The memory of a Tensor as unsigned integers, by DLPack.")
      .def(
          "__dlpack__",
          [](const UnsignedView& self, nb::object, nb::object, nb::object dl_device,
             nb::object copy) { return dlpack_of(self.tensor, true, dl_device, copy); },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__",
           [](const UnsignedView& self) { return nb::cast<MadeTensor&>(self.tensor).device(); });
  nb::class_<MadeTensor>(module, "Tensor",
                         "An output that a call made. NumPy's, PyTorch's and others' from_dlpack "
                         "take it without a copy.")
      .def_prop_ro("shape", &MadeTensor::shape)
      .def_prop_ro("dtype", &MadeTensor::dtype, "\"bfloat16\" or \"float32\"")
      .def(
          "as_unsigned", [](nb::handle self) { return UnsignedView{nb::borrow(self)}; },
          "The same memory as uint16 or uint32, for libraries without bfloat16.")
      .def("__repr__", &MadeTensor::repr)
      .def(
          "__dlpack__",
          [](nb::handle self, nb::object, nb::object, nb::object dl_device, nb::object copy) {
            return dlpack_of(self, false, dl_device, copy);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &MadeTensor::device);
}

}  // namespace assay::python
