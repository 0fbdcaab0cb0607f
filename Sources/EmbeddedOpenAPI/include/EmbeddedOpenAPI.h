#pragma once

/// docs/openapi.json as it was when the program was built: UTF-8, ended by a zero byte.
const char *_Nonnull chirper_openapi(void);
