#include "EmbeddedNames.h"

#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

// AviList Core Team 2025, https://doi.org/10.2173/avilist.v2025, CC BY 4.0.
static const unsigned char names[] = {
#embed "Lists/avilist-2025.bin"
};

chirper_name_list chirper_names(void) {
  return (chirper_name_list){"AviList v2025", names, sizeof names};
}
