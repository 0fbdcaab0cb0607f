#include "EmbeddedOpenAPI.h"

#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char document[] = {
#embed "../../docs/openapi.json" suffix(, 0)
};

const char *chirper_openapi(void) { return document; }
