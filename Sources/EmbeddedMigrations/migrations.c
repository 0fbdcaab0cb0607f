#include "EmbeddedMigrations.h"

// SwiftPM's .embedInCode writes each byte as a Swift literal, which takes seconds per 10 kB to compile, and breaks in
// builds for several architectures (docs/decisions/0017-migrations-in-a-c-target.md).
#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char create_store[] = {
#embed "../../Migrations/0001_create_store.sql" suffix(, 0)
};

static const char add_page_token[] = {
#embed "../../Migrations/0002_add_page_token.sql" suffix(, 0)
};

static const char add_page_records[] = {
#embed "../../Migrations/0003_add_page_records.sql" suffix(, 0)
};

static const char add_walked_at[] = {
#embed "../../Migrations/0004_add_walked_at.sql" suffix(, 0)
};

static const char add_arrival[] = {
#embed "../../Migrations/0005_add_arrival.sql" suffix(, 0)
};

static const char add_search_index[] = {
#embed "../../Migrations/0006_add_search_index.sql" suffix(, 0)
};

static const char store_terms_in_blocks[] = {
#embed "../../Migrations/0007_store_terms_in_blocks.sql" suffix(, 0)
};

static const char find_terms_by_key_alone[] = {
#embed "../../Migrations/0008_find_terms_by_key_alone.sql" suffix(, 0)
};

static const chirper_migration migrations[] = {
  {"0001_create_store", create_store},
  {"0002_add_page_token", add_page_token},
  {"0003_add_page_records", add_page_records},
  {"0004_add_walked_at", add_walked_at},
  {"0005_add_arrival", add_arrival},
  {"0006_add_search_index", add_search_index},
  {"0007_store_terms_in_blocks", store_terms_in_blocks},
  {"0008_find_terms_by_key_alone", find_terms_by_key_alone},
};

const chirper_migration *chirper_migration_at(size_t index) {
  return index < sizeof migrations / sizeof migrations[0] ? &migrations[index] : NULL;
}
