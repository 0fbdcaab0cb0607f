#pragma once
#include <stdbool.h>

/// Whether the system's libcurl is there; loads it the first time.
bool curl_on_demand_is_there(void);
