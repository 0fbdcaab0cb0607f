#include "EmbeddedMigrations.h"

// SwiftPM's .embedInCode writes each byte as a Swift literal, which takes seconds per 10 kB to compile, and breaks in
// builds for several architectures (docs/decisions/0017-migrations-in-a-c-target.md).
#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const chirper_migration migrations[] = {
  {"0001_create_store", (const char[]){
#embed "../../Migrations/0001_create_store.sql" suffix(, 0)
  }},
  {"0002_create_change", (const char[]){
#embed "../../Migrations/0002_create_change.sql" suffix(, 0)
  }},
  {"0003_create_fall", (const char[]){
#embed "../../Migrations/0003_create_fall.sql" suffix(, 0)
  }},
  {"0004_create_exchange", (const char[]){
#embed "../../Migrations/0004_create_exchange.sql" suffix(, 0)
  }},
  {"0005_create_name", (const char[]){
#embed "../../Migrations/0005_create_name.sql" suffix(, 0)
  }},
  {"0006_create_import", (const char[]){
#embed "../../Migrations/0006_create_import.sql" suffix(, 0)
  }},
  {"0007_create_views", (const char[]){
#embed "../../Migrations/0007_create_views.sql" suffix(, 0)
  }},
  {"0008_replace_views", (const char[]){
#embed "../../Migrations/0008_replace_views.sql" suffix(, 0)
  }},
  {"0009_create_label", (const char[]){
#embed "../../Migrations/0009_create_label.sql" suffix(, 0)
  }},
};

const chirper_migration *chirper_migration_at(size_t index) {
  return index < sizeof migrations / sizeof migrations[0] ? &migrations[index] : NULL;
}
