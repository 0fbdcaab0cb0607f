#pragma once
#include <stddef.h>

/// One file of the page of `chirper serve`, as it was when the program was built.
typedef struct {
  const char *_Nonnull name;
  /// UTF-8, ended by a zero byte.
  const char *_Nonnull text;
} chirper_page_file;

/// The file at that index, from 0; NULL after the last.
const chirper_page_file *_Nullable chirper_page_file_at(size_t index);
