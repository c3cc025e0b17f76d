// The module assay._native: the C interface with Python's objects in front of it, one function
// each. It knows nothing that the C interface does not; reports go to Python as JSON text, and the
// package around this makes objects of them. Work that takes long (loading, checking, explaining,
// the prefill) runs without the interpreter lock, and ends early when it is cancelled or, on the
// main thread, interrupted; a contract check, which takes less time than giving the lock away and
// fetching it again, keeps it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bindings/c/assay.h"
#include "engine/bindings/python/borrowed_tensor.h"
#include "engine/bindings/python/interruptible.h"
#include "engine/bindings/python/made_tensor.h"

namespace {

namespace nb = nanobind;
using assay::python::BorrowedTensor;
using assay::python::Cancellation;
using assay::python::MadeTensor;
using assay::python::run_interruptible;
using assay::python::run_unlocked;

struct NoAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Cancelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A text of the C interface.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { assay_text_free(text_); }
  char** out() { return &text_; }
  const char* get() const { return text_; }
  // None where there is none.
  nb::object take() const { return text_ == nullptr ? nb::none() : nb::object(nb::str(text_)); }

 private:
  char* text_ = nullptr;
};

void expect_answer(assay_status status, const Text& message) {
  if (status == ASSAY_CANCELLED) throw Cancelled("the call was cancelled");
  if (status == ASSAY_NO_ANSWER)
    throw NoAnswer(message.get() == nullptr ? "out of memory" : message.get());
}

class Knowledge {
 public:
  explicit Knowledge(const std::string& folder) {
    Text message;
    assay_status status{};
    {
      const nb::gil_scoped_release unlocked;
      status = assay_knowledge_load(folder.c_str(), &knowledge_, message.out());
    }
    expect_answer(status, message);
  }
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;
  ~Knowledge() { assay_knowledge_free(knowledge_); }

  nb::object check(const nb::bytes& text, const std::optional<std::string>& input,
                   const std::vector<std::string>& facts, const std::optional<std::string>& gpu,
                   const std::optional<std::string>& engine_version,
                   const std::optional<nb::bytes>& model_config, Cancellation* cancellation) const {
    const auto text_of = [](const auto& value) { return value ? value->c_str() : nullptr; };
    std::vector<const char*> names;
    names.reserve(facts.size());
    for (const std::string& fact : facts) names.push_back(fact.c_str());
    assay_check_options options{sizeof(assay_check_options),
                                text_of(input),
                                names.data(),
                                names.size(),
                                text_of(gpu),
                                text_of(engine_version),
                                text_of(model_config),
                                model_config ? model_config->size() : 0,
                                nullptr};
    Text report;
    Text message;
    const assay_status status =
        run_interruptible(cancellation, [&](const assay_cancellation* used) {
          options.cancellation = used;
          return assay_check(knowledge_, text.c_str(), text.size(), &options, report.out(),
                             message.out());
        });
    expect_answer(status, message);
    return report.take();
  }

  nb::object explain(const nb::bytes& text, Cancellation* cancellation) const {
    Text report;
    Text message;
    const assay_status status =
        run_interruptible(cancellation, [&](const assay_cancellation* used) {
          return assay_explain(knowledge_, text.c_str(), text.size(), used, report.out(),
                               message.out());
        });
    expect_answer(status, message);
    return report.take();
  }

  const assay_contract* contract(const std::string& kernel) const {
    return assay_knowledge_contract(knowledge_, kernel.c_str());
  }

 private:
  assay_knowledge* knowledge_ = nullptr;
};

constexpr std::size_t kMaxArguments = 64;  // tensors, and scalars, of a contract

class Contract {
 public:
  explicit Contract(const nb::bytes& yaml) {
    Text message;
    expect_answer(assay_contract_load(yaml.c_str(), yaml.size(), &own_, message.out()), message);
    contract_ = own_;
    name_arguments();
  }
  // One of the knowledge's, which has to outlive this.
  explicit Contract(const assay_contract* contract) : contract_(contract) { name_arguments(); }
  Contract(const Contract&) = delete;
  Contract& operator=(const Contract&) = delete;
  ~Contract() { assay_contract_free(own_); }

  const assay_contract* get() const { return contract_; }
  nb::tuple tensor_names() const { return nb::tuple(tensors_); }
  nb::tuple scalar_names() const { return nb::tuple(scalars_); }

  nb::object check(int profile, const std::optional<std::string>& back_end,
                   const nb::dict& arguments) const {
    const auto borrowed = std::make_unique<BorrowedTensor[]>(nb::len(tensors_));
    std::array<const DLTensor*, kMaxArguments> tensors{};
    std::array<assay_scalar, kMaxArguments> scalars{};
    for (const auto& [name, value] : arguments) {
      if (const auto tensor = index_of(tensors_, name)) {
        borrowed[*tensor].borrow(value, nb::borrow<nb::str>(name).c_str());
        tensors[*tensor] = borrowed[*tensor].get();
      } else if (const auto scalar = index_of(scalars_, name)) {
        scalars[*scalar] = scalar_of(value, nb::borrow<nb::str>(name).c_str());
      } else {
        throw nb::type_error(
            ("the contract has no argument " + nb::cast<std::string>(nb::repr(name))).c_str());
      }
    }
    Text report;
    Text message;
    const assay_status status =
        assay_contract_check(contract_, tensors.data(), nb::len(tensors_), scalars.data(),
                             nb::len(scalars_), static_cast<assay_profile>(profile),
                             back_end ? back_end->c_str() : nullptr, report.out(), message.out());
    expect_answer(status, message);
    return report.take();
  }

 private:
  void name_arguments() {
    const auto add = [](nb::list& names, const char* name) {
      names.append(nb::steal(PyUnicode_InternFromString(name)));
    };
    for (std::size_t i = 0; const char* name = assay_contract_tensor_name(contract_, i); ++i)
      add(tensors_, name);
    for (std::size_t i = 0; const char* name = assay_contract_scalar_name(contract_, i); ++i)
      add(scalars_, name);
  }

  // Names in a call are interned as ours are, so that the first look mostly finds them.
  static std::optional<std::size_t> index_of(const nb::list& names, nb::handle name) {
    const std::size_t count = nb::len(names);
    for (std::size_t i = 0; i < count; ++i)
      if (names[i].ptr() == name.ptr()) return i;
    for (std::size_t i = 0; i < count; ++i)
      if (nb::borrow(names[i]).equal(name)) return i;
    return std::nullopt;
  }

  static assay_scalar scalar_of(nb::handle value, const char* name) {
    assay_scalar scalar{};
    if (value.is_none()) {
      scalar.kind = ASSAY_NOT_GIVEN;
    } else if (nb::isinstance<nb::bool_>(value)) {
      scalar.kind = ASSAY_BOOLEAN;
      scalar.value.integer = nb::cast<bool>(value) ? 1 : 0;
    } else if (nb::isinstance<nb::int_>(value)) {
      scalar.kind = ASSAY_INTEGER;
      if (!nb::try_cast(value, scalar.value.integer))
        throw nb::value_error((std::string(name) + ": the number needs more than 64 bits").c_str());
    } else if (nb::isinstance<nb::float_>(value)) {
      scalar.kind = ASSAY_REAL;
      scalar.value.real = nb::cast<double>(value);
    } else {
      throw nb::type_error((std::string(name) + ": expected a number or a bool").c_str());
    }
    return scalar;
  }

  assay_contract* own_ = nullptr;
  const assay_contract* contract_ = nullptr;
  nb::list tensors_;
  nb::list scalars_;
};

// The ten tensors of a prefill, in the order of the Python function.
struct PrefillTensors {
  static constexpr std::array<const char*, 10> kNames = {
      "q",           "kv",        "indices", "q_scale",    "kv_scale",
      "topk_length", "attn_sink", "out",     "max_logits", "lse"};

  assay_prefill_call borrow(const std::array<nb::handle, 10>& objects, double sm_scale,
                            std::int64_t d_v) {
    for (std::size_t i = 0; i < kNames.size(); ++i) borrowed[i].borrow(objects[i], kNames[i]);
    for (const std::size_t output : {7U, 8U, 9U})
      if (borrowed[output].is_read_only())
        throw nb::value_error((std::string(kNames[output]) + ": may not be written").c_str());
    return {sizeof(assay_prefill_call),
            borrowed[0].get(),
            borrowed[1].get(),
            borrowed[2].get(),
            borrowed[3].get(),
            borrowed[4].get(),
            borrowed[5].get(),
            borrowed[6].get(),
            borrowed[7].get(),
            borrowed[8].get(),
            borrowed[9].get(),
            sm_scale,
            d_v};
  }

  std::array<BorrowedTensor, 10> borrowed;
};

nb::object prefill_check(nb::handle q, nb::handle kv, nb::handle indices, nb::handle q_scale,
                         nb::handle kv_scale, double sm_scale, nb::handle topk_length,
                         nb::handle attn_sink, nb::handle out, nb::handle max_logits,
                         nb::handle lse, std::int64_t d_v, const Contract* contract) {
  PrefillTensors tensors;
  const assay_prefill_call call = tensors.borrow(
      {q, kv, indices, q_scale, kv_scale, topk_length, attn_sink, out, max_logits, lse}, sm_scale,
      d_v);
  Text report;
  Text message;
  expect_answer(assay_prefill_check(&call, contract == nullptr ? nullptr : contract->get(),
                                    report.out(), message.out()),
                message);
  return report.take();
}

// An output that the call made, until Python has it.
nb::object output_of(DLManagedTensor*& made, nb::handle supplied) {
  if (made == nullptr) return nb::borrow(supplied);
  return nb::cast(new MadeTensor(std::exchange(made, nullptr)), nb::rv_policy::take_ownership);
}

// Frees what nobody took: of a call that was done when Ctrl-C came.
struct PrefillResult : assay_prefill_result {
  PrefillResult()
      : assay_prefill_result{sizeof(assay_prefill_result), 0, 0, nullptr, nullptr, nullptr} {}
  PrefillResult(const PrefillResult&) = delete;
  PrefillResult& operator=(const PrefillResult&) = delete;
  ~PrefillResult() {
    for (DLManagedTensor* const made : {out, max_logits, lse})
      if (made != nullptr) made->deleter(made);
  }
};

// (report or None, out, max_logits, lse, out-of-range indices, out-of-range lengths)
nb::object prefill(nb::handle q, nb::handle kv, nb::handle indices, nb::handle q_scale,
                   nb::handle kv_scale, double sm_scale, nb::handle topk_length,
                   nb::handle attn_sink, nb::handle out, nb::handle max_logits, nb::handle lse,
                   std::int64_t d_v, const Contract* contract, bool checked, unsigned threads,
                   std::uintptr_t stream, nb::handle device_status, Cancellation* cancellation) {
  PrefillTensors tensors;
  const assay_prefill_call call = tensors.borrow(
      {q, kv, indices, q_scale, kv_scale, topk_length, attn_sink, out, max_logits, lse}, sm_scale,
      d_v);
  BorrowedTensor counts;
  counts.borrow(device_status, "status");
  assay_prefill_options options{sizeof(assay_prefill_options),
                                contract == nullptr ? nullptr : contract->get(),
                                checked ? 1 : 0,
                                threads,
                                reinterpret_cast<void*>(stream),
                                counts.get(),
                                nullptr};
  PrefillResult result;
  Text report;
  Text message;
  const auto run = [&](const assay_cancellation* used) {
    options.cancellation = used;
    return assay_prefill(&call, &options, &result, report.out(), message.out());
  };
  // On a device it is only queued, and the device that is current belongs to this thread.
  const bool is_on_cpu = call.q != nullptr && call.q->device.device_type == kDLCPU;
  const assay_status status =
      is_on_cpu ? run_interruptible(cancellation, run) : run_unlocked(cancellation, run);
  expect_answer(status, message);
  if (status == ASSAY_FINDINGS)
    return nb::make_tuple(report.take(), nb::none(), nb::none(), nb::none(), 0, 0);
  return nb::make_tuple(nb::none(), output_of(result.out, out),
                        output_of(result.max_logits, max_logits), output_of(result.lse, lse),
                        result.out_of_range_indices, result.out_of_range_lengths);
}

}  // namespace

NB_MODULE(_native, module) {
  nb::exception<NoAnswer>(module, "NoAnswer", PyExc_ValueError);
  nb::exception<Cancelled>(module, "Cancelled", PyExc_RuntimeError);
  assay::python::add_made_tensor(module);
  module.def("version", [] { return assay_version(); });

  nb::class_<Cancellation>(module, "Cancellation",
                           "A wish that calls which have it end early; they raise Cancelled.")
      .def(nb::init<>())
      .def("request", &Cancellation::request, "From any thread; it is not taken back.")
      .def_prop_ro("requested", &Cancellation::is_requested);

  nb::class_<Contract>(module, "Contract")
      .def(nb::init<const nb::bytes&>(), nb::arg("yaml"))
      .def_prop_ro("tensor_names", &Contract::tensor_names)
      .def_prop_ro("scalar_names", &Contract::scalar_names)
      .def("check", &Contract::check, nb::arg("profile"), nb::arg("back_end").none(),
           nb::arg("arguments"));

  nb::class_<Knowledge>(module, "Knowledge")
      .def(nb::init<const std::string&>(), nb::arg("folder"))
      .def("check", &Knowledge::check, nb::arg("text"), nb::arg("input").none(), nb::arg("facts"),
           nb::arg("gpu").none(), nb::arg("engine_version").none(), nb::arg("model_config").none(),
           nb::arg("cancellation").none())
      .def("explain", &Knowledge::explain, nb::arg("text"), nb::arg("cancellation").none())
      .def(
          "contract",
          [](const Knowledge& self, const std::string& kernel) -> std::unique_ptr<Contract> {
            const assay_contract* const found = self.contract(kernel);
            return found == nullptr ? nullptr : std::make_unique<Contract>(found);
          },
          nb::arg("kernel"), nb::keep_alive<0, 1>());

  module.def("prefill_check", &prefill_check, nb::arg("q"), nb::arg("kv"), nb::arg("indices"),
             nb::arg("q_scale"), nb::arg("kv_scale"), nb::arg("sm_scale"),
             nb::arg("topk_length").none(), nb::arg("attn_sink").none(), nb::arg("out").none(),
             nb::arg("max_logits").none(), nb::arg("lse").none(), nb::arg("d_v"),
             nb::arg("contract").none());
  module.def("prefill", &prefill, nb::arg("q"), nb::arg("kv"), nb::arg("indices"),
             nb::arg("q_scale"), nb::arg("kv_scale"), nb::arg("sm_scale"),
             nb::arg("topk_length").none(), nb::arg("attn_sink").none(), nb::arg("out").none(),
             nb::arg("max_logits").none(), nb::arg("lse").none(), nb::arg("d_v"),
             nb::arg("contract").none(), nb::arg("checked"), nb::arg("threads"), nb::arg("stream"),
             nb::arg("status").none(), nb::arg("cancellation").none());
}
