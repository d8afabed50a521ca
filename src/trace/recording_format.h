// The layout of a recording on disk, version 3 (docs/recording-format.md says it in prose). Little-endian throughout.
//
//   FileHeader   ChunkHeader ColumnHeader[kColumns] column column …   ChunkHeader …
//
// A chunk holds up to kOpsPerChunk operations as columns: each column is one kind of number of all of them.
// Change the layout -> raise kVersion.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace memswell::trace::disk {

static_assert(std::endian::native == std::endian::little, "recordings are little-endian");

inline constexpr std::uint64_t kMagic = 0x0a0d'6c6c'6577'7389;  // "\x89swell\r\n": text conversion shows at once
inline constexpr std::uint32_t kVersion = 3;

struct FileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t time_shift;  // times of allocations and releases are kept in units of 2^time_shift ns
  std::uint64_t resume_sequence;  // of the chunk that follows the folded part and begins anew; 0: nothing is folded
  std::uint64_t checksum;    // XXH3 of the fields before
};
static_assert(sizeof(FileHeader) == 32 && offsetof(FileHeader, checksum) == 24);

inline constexpr std::uint32_t kTimeShift = 6;
inline constexpr std::uint32_t kMaxTimeShift = 30;

// ------------------------------------------------------------------------------------------------ chunks

inline constexpr std::uint32_t kChunkMagic = 0x6b6e'6843;  // "Chnk"

enum class ChunkType : std::uint16_t { stream = 1 };
// Before this chunk both sides forget what they have learned, all but the number of stack nodes: what stands before it may be
// replaced by something shorter.
inline constexpr std::uint16_t kBeginsAnew = 1;

struct ChunkHeader {
  std::uint32_t magic;
  ChunkType type;
  std::uint16_t flags;         // kBeginsAnew or 0
  std::uint32_t raw_bytes;     // of all columns together, decompressed
  std::uint32_t stored_bytes;  // that follow this header
  std::uint64_t sequence;      // 0, 1, 2, …: a chunk cannot get lost or swapped unnoticed; once FileHeader::resume_sequence
  std::uint64_t checksum;      // XXH3 of the stored bytes, seeded with the XXH3 of the fields before
};
static_assert(sizeof(ChunkHeader) == 32 && offsetof(ChunkHeader, checksum) == 24);

enum class Column : std::uint8_t {
  ops = 0,       // one byte an operation: Op | context code << kContextShift
  contexts,      // threads that were not recent
  times,         // one an allocation or release
  details,       // one byte an allocation or release: which guesses were right
  blocks,        // references to recent blocks
  addresses,     // addresses that no guess gave
  stacks,        // stack ids that no guess gave
  sizes,         // requested bytes that no guess gave
  slacks,        // usable − requested that no guess gave
  replaced,      // realloc: the block before, where it is not the one that the thread released last
  node_parents,  // stack nodes
  node_frames,
  node_modules,
  node_offsets,
  records,  // everything else, each a record of its own
};
inline constexpr std::size_t kColumns = 15;
static_assert(static_cast<std::size_t>(Column::records) + 1 == kColumns);

struct ColumnHeader {
  std::uint32_t raw_bytes;
  std::uint32_t stored_bytes;  // equal to raw_bytes: not compressed; else one zstd frame that gives its content size
};
static_assert(sizeof(ColumnHeader) == 8);

inline constexpr std::uint32_t kOpsPerChunk = 1 << 16;
inline constexpr std::uint32_t kMaxChunkBytes = 16 << 20;        // raw, and stored
inline constexpr std::uint32_t kPieceBytes = 4 << 20;            // a larger record goes in pieces
inline constexpr std::uint32_t kRecordsPerChunkBytes = 1 << 20;  // a chunk ends when its records are larger
inline constexpr std::uint64_t kMaxRecordBytes = 64 << 20;
inline constexpr std::uint64_t kMaxListMemory = 128 << 20;  // of the lists in one record, as elements in memory
inline constexpr std::size_t kMaxVarintBytes = 10;
inline constexpr std::uint32_t kDeepestStack = 8192;  // frames; the recorder keeps 4000 (format::kMaxDepthLimit) and a mark
inline constexpr std::size_t kMostInlined = 1024;     // levels of one frame; debug information is read 512 deep

// -------------------------------------------------------------------------------------------- operations

enum class Op : std::uint8_t {
  record = 0,        // the next piece of Column::records ends a record
  record_piece = 1,  // … begins or goes on with one
  stack_node = 2,
  malloc = 3,  // Op − malloc = AllocationKind
  calloc = 4,
  aligned = 5,
  realloc = 6,
  operator_new = 7,
  free = 8,  // Op − free = Release::Kind
  realloc_begin = 9,
  realloc_failed = 10,
  realloc_elsewhere = 11,  // as realloc, `replaced` from its column
};
inline constexpr std::uint8_t kOps = 12;
inline constexpr unsigned kContextShift = 5;
inline constexpr std::uint8_t kOpMask = (1 << kContextShift) - 1;
inline constexpr std::uint8_t kRecentContexts = 7;  // codes 0–6: position in the list of recent threads
inline constexpr std::uint8_t kContextInColumn = 7;

// Details of an allocation: stack code | size code << 2 | address code << 4.
enum class StackCode : std::uint8_t { after_two = 0, after_one = 1, newest = 2, in_column = 3 };
enum class SizeCode : std::uint8_t { as_stack = 0, as_before = 1, slack_learned = 2, in_column = 3 };
inline constexpr unsigned kSizeShift = 2;
inline constexpr unsigned kAddressShift = 4;
enum class AddressCode : std::uint8_t {
  freed = 0,  // 0–11: how many frees ago a block of this usable size was freed by this thread
  next = 12,  // behind the thread's last allocation, one word apart
  in_column = 13,
  next_in_class = 14,  // behind the thread's last allocation of this usable size
  in_place = 15,       // realloc: where it was
};
inline constexpr std::uint8_t kFreedDepth = 12;

// Details of a release.
enum class BlockCode : std::uint8_t {
  newest = 0,           // 0–7: rank among the live recent blocks, newest first
  newer_neighbour = 8,  // allocated next after the block released before, of those that live
  older_neighbour = 9,
  age = 10,        // allocations since; in Column::blocks
  near = 11,       // allocations between it and the block released before, signed; in Column::blocks
  in_column = 12,  // address relative to the last one in the column
  same = 13,       // the address that the thread released last
};
inline constexpr std::uint8_t kNewestRanks = 8;
inline constexpr std::uint8_t kBlockCodes = 14;

// Sizes of the tables that writer and reader keep alike; a part of the format.
inline constexpr std::uint32_t kRecentBlocks = 1 << 12;
inline constexpr std::uint32_t kFrameTable = 1 << 14;
inline constexpr std::uint32_t kStackTable = 1 << 14;
inline constexpr std::uint32_t kSizeTable = 1 << 12;
inline constexpr std::uint32_t kThreadStates = 16;
inline constexpr std::uint32_t kSizeClasses = 64;

}  // namespace memswell::trace::disk
