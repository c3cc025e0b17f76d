// Only what JSON says is read here; whether the numbers make sense is the contract's question. A
// made-up address is above what processors can address, and the next one 2^55 bytes away.
#include "engine/read/kernel_call_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "engine/model/tensor_text.h"
#include "engine/read/document_reader.h"
#include "engine/read/format_keys.h"

namespace assay {
namespace {

constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 62;
constexpr std::uint64_t kAddressStep = std::uint64_t{1} << 55;

class CallReader {
 public:
  CallReader(const TensorContract& contract, Diagnostics& faults)
      : contract_(contract), faults_(faults) {}

  DescribedCall read(const Node& document) {
    DescribedCall call;
    call.tensors.resize(contract_.tensors.size());
    call.scalars.resize(contract_.scalars.size());
    const MappingReader reader(document, "a call", kKernelCallKeys, faults_);
    if (const Node* tensors = reader.mapping("tensors"))
      for (const Entry& entry : tensors->entries) read_argument(entry, call);
    if (const Node* scalars = reader.mapping("scalars"))
      for (const Entry& entry : scalars->entries) read_scalar(entry, call);
    return call;
  }

 private:
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  // The place of `name` among `all`, or a fault.
  template <class Item>
  std::optional<std::size_t> find(const std::vector<Item>& all, const Entry& entry,
                                  std::string_view what) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == entry.key) return i;
      names.push_back(all[i].name);
    }
    faults_.push_back(
        make_error(code::unknown_key, entry.key_span,
                   fmt::format("{} takes no {} `{}`", contract_.kernel, what, entry.key),
                   did_you_mean(entry.key, names)));
    return std::nullopt;
  }

  void read_argument(const Entry& entry, DescribedCall& call) {
    const auto index = find(contract_.tensors, entry, "tensor");
    if (!index || entry.value.kind == NodeKind::null) return;
    const MappingReader reader(entry.value, "a tensor", kDescribedTensorKeys, faults_);
    if (!reader.is_mapping()) return;
    DescribedTensor tensor;
    tensor.address = kFirstAddress + kAddressStep * *index;
    if (const Node* dtype = reader.find("dtype")) tensor.dtype = read_dtype(*dtype);
    tensor.shape = read_numbers(reader, "shape");
    tensor.strides = read_numbers(reader, "strides");
    const std::string& wanted = contract_.tensors[*index].device;
    if (const auto device = parse_device(wanted)) tensor.device = *device;
    if (const auto text = reader.text("device")) {
      if (const auto device = parse_device(*text))
        tensor.device = *device;
      else
        refuse(reader.find("device")->span, fmt::format("`{}` is not a device", *text),
               "`cpu` and `cuda:0` are");
    }
    if (const Node* data = reader.find("data")) tensor.address = read_address(*data);
    if (const Node* offset = reader.find("byte_offset")) tensor.byte_offset = read_address(*offset);
    call.tensors[*index] = std::move(tensor);
  }

  ElementType read_dtype(const Node& node) {
    if (node.is_string()) {
      if (const auto type = parse_element_type(node.text)) return *type;
      refuse(node.span, fmt::format("`{}` is not an element type", node.text),
             did_you_mean(node.text, {kDTypeNames.begin(), kDTypeNames.end()}));
      return {};
    }
    const MappingReader reader(node, "a dtype", kDescribedDTypeKeys, faults_);
    return {static_cast<std::uint8_t>(read_part(reader, "code", 255)),
            static_cast<std::uint8_t>(read_part(reader, "bits", 255)),
            static_cast<std::uint16_t>(read_part(reader, "lanes", 65535))};
  }

  std::int64_t read_part(const MappingReader& reader, std::string_view key, std::int64_t most) {
    const std::int64_t value = reader.integer(key).value_or(1);
    if (value >= 0 && value <= most) return value;
    refuse(reader.find(key)->span, fmt::format("{} is from 0 to {}, got {}", key, most, value));
    return 0;
  }

  std::vector<std::int64_t> read_numbers(const MappingReader& reader, std::string_view key) {
    std::vector<std::int64_t> numbers;
    const Node* list = reader.find(key);
    if (list == nullptr || list->kind == NodeKind::null) return numbers;
    if (list->kind != NodeKind::sequence) {
      faults_.push_back(wrong_type(key, "a list of integers", *list));
      return numbers;
    }
    if (list->items.size() > kMaxDescribedRank) {
      refuse(list->span, fmt::format("{} of {} numbers, more than {}", key, list->items.size(),
                                     kMaxDescribedRank));
      return numbers;
    }
    for (const Node& item : list->items) {
      if (item.kind != NodeKind::integer)
        faults_.push_back(wrong_type(fmt::format("an item of {}", key), "an integer", item));
      numbers.push_back(item.integer);
    }
    return numbers;
  }

  // A number of bytes, or an address in hexadecimal: what Python's hex() prints.
  std::uint64_t read_address(const Node& node) {
    std::uint64_t address = 0;
    const bool is_hex = node.is_string() && node.text.starts_with("0x");
    const std::string_view digits = std::string_view(node.text).substr(is_hex ? 2 : 0);
    const bool is_number = node.is_string() || node.kind == NodeKind::integer ||
                           node.kind == NodeKind::real;  // above 2^63 integers are kind real
    const auto [stop, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address, is_hex ? 16 : 10);
    if (!is_number || fault != std::errc{} || stop != digits.data() + digits.size())
      refuse(node.span, "an address is an integer from 0 to 2^64 - 1, or text like \"0x7f00\"");
    return address;
  }

  void read_scalar(const Entry& entry, DescribedCall& call) {
    const auto index = find(contract_.scalars, entry, "scalar");
    if (!index) return;
    const Node& node = entry.value;
    if (node.kind == NodeKind::integer)
      call.scalars[*index] = Value::integer(node.integer);
    else if (node.kind == NodeKind::boolean)
      call.scalars[*index] = Value::boolean(node.boolean);
    else if (node.kind == NodeKind::real)
      call.scalars[*index] = Value::real(node.real);
    else if (node.kind != NodeKind::null)
      faults_.push_back(wrong_type(fmt::format("scalar `{}`", entry.key),
                                   to_string(contract_.scalars[*index].type), node));
  }

  const TensorContract& contract_;
  Diagnostics& faults_;
};

}  // namespace

TensorView DescribedTensor::view() const {
  // Never read through: a description has no memory behind it.
  return {reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)),
          dtype,
          device,
          shape,
          strides,
          byte_offset};
}

Result<DescribedCall> read_kernel_call(const Node& document, const TensorContract& contract) {
  Diagnostics faults;
  DescribedCall call = CallReader(contract, faults).read(document);
  if (has_errors(faults)) return faults;
  return call;
}

}  // namespace assay
