// libcurl, loaded by the first request instead of by every start.
//
// FoundationNetworking links libcurl, and libcurl some twenty-five libraries: loading and initialising them cost the
// offline commands more than all the rest of their start (docs/performance.md). The names that FoundationNetworking
// calls are defined here, and each hands its call on to the system's libcurl. The list is complete when the program
// links without -lcurl.
#include "CurlOnDemand.h"

#ifdef __linux__

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
}

bool curl_on_demand_is_there(void) {
  pthread_once(&once, load);
  return library != NULL;
}

static void *find(void **known, const char *name) {
  void *function = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (function == NULL && curl_on_demand_is_there()) {
    function = dlsym(library, name);
    __atomic_store_n(known, function, __ATOMIC_RELEASE);
  }
  return function;
}

// CURLE_FAILED_INIT, which is also an error to the interfaces that do not know it.
enum { unavailable = 2 };

// HAND_ON(result, name, parameters, arguments, result without libcurl)
#define HAND_ON(result, name, parameters, arguments, otherwise)       \
  result name parameters {                                            \
    static void *known;                                               \
    result(*function) parameters = find(&known, #name);               \
    return function == NULL ? otherwise : function arguments;         \
  }

// Every option and every answer is one word: a number, a pointer or a function.
#define HAND_ON_WORD(name)                                            \
  int name(void *handle, int option, ...) {                           \
    static void *known;                                               \
    int (*function)(void *, int, ...) = find(&known, #name);          \
    if (function == NULL) return unavailable;                         \
    va_list arguments;                                                \
    va_start(arguments, option);                                      \
    void *word = va_arg(arguments, void *);                           \
    va_end(arguments);                                                \
    return function(handle, option, word);                            \
  }

#define HAND_ON_VOID(name)                                            \
  void name(void *handle) {                                           \
    static void *known;                                               \
    void (*function)(void *) = find(&known, #name);                   \
    if (function != NULL) function(handle);                           \
  }

HAND_ON(int, curl_global_init, (long flags), (flags), unavailable)
HAND_ON(char *, curl_version, (void), (), "libcurl")
HAND_ON(void *, curl_version_info, (int age), (age), NULL)
HAND_ON_VOID(curl_free)

HAND_ON(void *, curl_easy_init, (void), (), NULL)
HAND_ON_WORD(curl_easy_setopt)
HAND_ON_WORD(curl_easy_getinfo)
HAND_ON(int, curl_easy_pause, (void *handle, int what), (handle, what), unavailable)
HAND_ON(const char *, curl_easy_strerror, (int code), (code), "libcurl is not installed")
HAND_ON_VOID(curl_easy_cleanup)

HAND_ON(void *, curl_multi_init, (void), (), NULL)
HAND_ON_WORD(curl_multi_setopt)
HAND_ON(int, curl_multi_add_handle, (void *multi, void *easy), (multi, easy), unavailable)
HAND_ON(int, curl_multi_remove_handle, (void *multi, void *easy), (multi, easy), unavailable)
HAND_ON(int, curl_multi_assign, (void *multi, int socket, void *data), (multi, socket, data), unavailable)
HAND_ON(
    int, curl_multi_socket_action, (void *multi, int socket, int events, int *running), (multi, socket, events, running),
    unavailable)
HAND_ON(void *, curl_multi_info_read, (void *multi, int *left), (multi, left), NULL)
HAND_ON(int, curl_multi_cleanup, (void *multi), (multi), unavailable)

HAND_ON(void *, curl_slist_append, (void *list, const char *text), (list, text), NULL)
HAND_ON_VOID(curl_slist_free_all)

HAND_ON(void *, curl_url, (void), (), NULL)
HAND_ON(
    int, curl_url_get, (const void *url, int what, char **part, unsigned flags), (url, what, part, flags), unavailable)
HAND_ON(int, curl_url_set, (void *url, int what, const char *part, unsigned flags), (url, what, part, flags), unavailable)

#else

// Elsewhere URLSession does not stand on libcurl.
bool curl_on_demand_is_there(void) { return true; }

#endif
