#include "engine/text/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

namespace assay {
namespace {

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string utf16(std::string_view ascii, bool is_little, bool has_mark) {
  std::string out = !has_mark ? "" : is_little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : ascii) {
    out += is_little ? c : '\0';
    out += is_little ? '\0' : c;
  }
  return out;
}

struct ReadLog {
  std::string text;
  std::vector<std::uint64_t> offsets;  // of the chunks
  std::vector<std::size_t> sizes;
  Diagnostics faults;
};

ReadLog read_all(std::string_view bytes, std::size_t at_once = SIZE_MAX) {
  ReadLog log;
  auto reader = LogReader::open(stream_of(bytes, at_once), "a.log");
  if (!reader) {
    log.faults = reader.error();
    return log;
  }
  LogChunk chunk;
  for (;;) {
    const auto more = reader->next(chunk);
    if (!more) log.faults = more.error();
    if (!more || !*more) break;
    log.offsets.push_back(chunk.offset(0));
    log.sizes.push_back(chunk.text().size());
    log.text += chunk.text().substr(chunk.overlap());
  }
  return log;
}

std::string many_lines() {
  std::string text;
  for (int i = 0; text.size() < 3 * LogReader::kChunkBytes; ++i)
    text += "line " + std::to_string(i) + " of a log\n";
  return text;
}

TEST(LogReader, ChunksAreWholeLinesOfBoundedSize) {
  const std::string text = many_lines();
  for (const std::size_t at_once : {SIZE_MAX, std::size_t{1000}}) {
    const ReadLog log = read_all(text, at_once);
    EXPECT_EQ(log.text, text);
    ASSERT_GT(log.sizes.size(), 2u);
    for (std::size_t i = 0; i < log.sizes.size(); ++i) {
      EXPECT_LE(log.sizes[i], LogReader::kChunkBytes);
      EXPECT_EQ(text[log.offsets[i] + log.sizes[i] - 1], '\n');
    }
  }
}

TEST(LogReader, ALineLongerThanAChunkComesInOverlappingPieces) {
  const std::string text = "a\n" + std::string(2 * LogReader::kChunkBytes, 'x') + "end\nb";
  const ReadLog log = read_all(text);
  EXPECT_EQ(log.text, text);
  EXPECT_GT(log.sizes.size(), 2u);
}

TEST(LogReader, RecordsThatARuntimeSplitStayTogether) {
  const std::string part = "2026-01-02T03:04:05.000000001Z stderr P half\n";
  const std::string end = "2026-01-02T03:04:05.000000001Z stderr F end\n";
  std::string text(LogReader::kChunkBytes - 20 - part.size(), 'x');
  text += "\n" + part + end;
  const ReadLog log = read_all(text);
  EXPECT_EQ(log.text, text);
  ASSERT_EQ(log.offsets.size(), 2u);
  EXPECT_EQ(text.substr(log.offsets[1]), part + end);
}

TEST(LogReader, CompressedLogsAreReadMemberAfterMember) {
  const std::string text = many_lines();
  EXPECT_EQ(read_all(gzip(text), 777).text, text);
  EXPECT_EQ(read_all(zstd(text), 777).text, text);
  EXPECT_EQ(read_all(gzip("a\n") + gzip("b\n")).text, "a\nb\n");
  EXPECT_EQ(read_all(zstd("a\n") + zstd("b\n")).text, "a\nb\n");
}

TEST(LogReader, OfTruncatedCompressionTheReadablePartIsDelivered) {
  const std::string text = many_lines();
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    const ReadLog log = read_all(whole.substr(0, whole.size() / 2));
    ASSERT_EQ(log.faults.size(), 1u);
    EXPECT_EQ(log.faults[0].code, code::truncated_input);
    EXPECT_GT(log.text.size(), 1000u);
    EXPECT_TRUE(text.starts_with(log.text));
  }
}

TEST(LogReader, DamagedCompressionIsReported) {
  for (std::string whole : {gzip(many_lines()), zstd(many_lines())}) {
    for (std::size_t i = whole.size() / 2; i < whole.size() / 2 + 200; ++i) whole[i] ^= 0x5a;
    const ReadLog log = read_all(whole);
    ASSERT_EQ(log.faults.size(), 1u);
    EXPECT_EQ(log.faults[0].code, code::broken_compression);
  }
}

TEST(LogReader, OtherCompressionsAreNamed) {
  const ReadLog log =
      read_all(std::string_view("\xfd"
                                "7zXZ\0rest of it",
                                16));
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].code, code::unsupported_compression);
  EXPECT_THAT(log.faults[0].message, testing::HasSubstr("xz"));
}

TEST(LogReader, BinaryFilesAreRefusedButABinarySpotIsNot) {
  std::string elf(
      "\x7f"
      "ELF",
      4);
  elf += std::string(500, '\0') + "text";
  const ReadLog log = read_all(elf);
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].code, code::binary_input);
  std::string text = many_lines();
  text[100] = '\0';
  EXPECT_EQ(read_all(text).text, text);
}

TEST(LogReader, ByteOrderMarksGoAndPlacesCountInTheFile) {
  const ReadLog log = read_all("\xef\xbb\xbfone\n");
  EXPECT_EQ(log.text, "one\n");
  EXPECT_EQ(log.offsets[0], 3u);
}

TEST(LogReader, Utf16IsReadWithAndWithoutItsMark) {
  const std::string text = many_lines();
  for (const bool is_little : {false, true}) {
    for (const bool has_mark : {false, true}) {
      const ReadLog log = read_all(utf16(text, is_little, has_mark), 999);
      EXPECT_EQ(log.text, text);
      ASSERT_GT(log.offsets.size(), 1u);
      EXPECT_EQ(log.offsets[1], (has_mark ? 2 : 0) + 2 * log.sizes[0]);
    }
  }
  using namespace std::string_view_literals;
  EXPECT_EQ(read_all("\xff\xfe"
                     "a\0\x3d\xd8\0\xde\n\0x"sv)
                .text,
            "a\xf0\x9f\x98\x80\n\xef\xbf\xbd");
}

TEST(LogReader, AnEmptyLogHasNoChunks) {
  const ReadLog log = read_all("");
  EXPECT_TRUE(log.faults.empty());
  EXPECT_TRUE(log.sizes.empty());
}

TEST(ByteStream, WhatCannotBeOpenedSaysWhy) {
  for (const std::string path : {"/no/such/file", "/"}) {
    const auto stream = open_bytes(path);
    ASSERT_FALSE(stream.has_value());
    EXPECT_EQ(stream.error()[0].code, code::unreadable_file);
  }
}

}  // namespace
}  // namespace assay
