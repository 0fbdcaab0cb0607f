// How glibc allocates memory, which Swift's Glibc leaves out.
#pragma once

#include <malloc.h>
