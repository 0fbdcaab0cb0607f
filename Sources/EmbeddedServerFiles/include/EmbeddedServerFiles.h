#pragma once
#include <stddef.h>

/// One file that `chirper serve` sends, as it was when the program was built: those of the page, and openapi.json.
typedef struct {
  const char *_Nonnull name;
  /// UTF-8, ended by a zero byte.
  const char *_Nonnull text;
} chirper_server_file;

/// The file at that index, from 0; NULL after the last.
const chirper_server_file *_Nullable chirper_server_file_at(size_t index);
