#pragma once
#include <stddef.h>

/// A list of the names of birds, as scripts/names writes it.
typedef struct {
  /// The list and its year: `AviList v2025`.
  const char *_Nonnull title;
  const unsigned char *_Nonnull bytes;
  size_t count;
} chirper_name_list;

/// The list that was in the program when it was built.
chirper_name_list chirper_names(void);
