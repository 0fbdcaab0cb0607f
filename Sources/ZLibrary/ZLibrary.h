// zlib, as the system has it (docs/decisions/0022).
#pragma once

#include <zlib.h>
