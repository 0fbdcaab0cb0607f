#pragma once
#include <stddef.h>

/// One numbered SQL file of the folder `Migrations`, as it was when the program was built.
typedef struct {
  /// The file's name without its extension.
  const char *_Nonnull name;
  /// UTF-8, ended by a zero byte.
  const char *_Nonnull sql;
} chirper_migration;

/// The migration at that index, from 0, the oldest first; NULL after the last.
const chirper_migration *_Nullable chirper_migration_at(size_t index);
