// libcurl, loaded by the first request instead of by every start.
//
// FoundationNetworking links libcurl, and libcurl some twenty-five libraries: loading and initialising them cost the
// offline commands more than all the rest of their start (docs/performance.md). The names that FoundationNetworking
// calls are defined here, and each hands its call on to the system's libcurl. The list is complete when the program
// links without -lcurl.
//
// One thing is added: an answer whose connection ends within its head is an error. libcurl calls it a success, and
// FoundationNetworking then ends the process, for it has no response to tell of (swift-corelibs-foundation issue 5285).
#include "CurlOnDemand.h"

#ifdef __linux__

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

// A dynamically linked FoundationNetworking asks for the names with the version that Debian and Ubuntu give them, and
// finds these only when they have it too.
#define AS_IN_LIBCURL(name) __asm__(".symver " #name ", " #name "@CURL_OPENSSL_4");

// CURLE_FAILED_INIT, which is also an error to the interfaces that do not know it.
enum { unavailable = 2 };

// HAND_ON(result, name, parameters, arguments, result without libcurl)
#define HAND_ON(result, name, parameters, arguments, otherwise)       \
  AS_IN_LIBCURL(name)                                                 \
  result name parameters {                                            \
    static void *known;                                               \
    result(*function) parameters = find(&known, #name);               \
    return function == NULL ? otherwise : function arguments;         \
  }

// Every option and every answer is one word: a number, a pointer or a function.
#define HAND_ON_WORD(name)                                            \
  AS_IN_LIBCURL(name)                                                 \
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
  AS_IN_LIBCURL(name)                                                 \
  void name(void *handle) {                                           \
    static void *known;                                               \
    void (*function)(void *) = find(&known, #name);                   \
    if (function != NULL) function(handle);                           \
  }

HAND_ON(int, curl_global_init, (long flags), (flags), unavailable)
HAND_ON(char *, curl_version, (void), (), "libcurl")
HAND_ON(void *, curl_version_info, (int age), (age), NULL)
HAND_ON_VOID(curl_free)

HAND_ON_WORD(curl_easy_getinfo)
HAND_ON(int, curl_easy_pause, (void *handle, int what), (handle, what), unavailable)
HAND_ON(const char *, curl_easy_strerror, (int code), (code), "libcurl is not installed")

HAND_ON(void *, curl_multi_init, (void), (), NULL)
HAND_ON_WORD(curl_multi_setopt)
HAND_ON(int, curl_multi_add_handle, (void *multi, void *easy), (multi, easy), unavailable)
HAND_ON(int, curl_multi_remove_handle, (void *multi, void *easy), (multi, easy), unavailable)
HAND_ON(int, curl_multi_assign, (void *multi, int socket, void *data), (multi, socket, data), unavailable)
HAND_ON(
    int, curl_multi_socket_action, (void *multi, int socket, int events, int *running), (multi, socket, events, running),
    unavailable)
HAND_ON(int, curl_multi_cleanup, (void *multi), (multi), unavailable)

HAND_ON(void *, curl_slist_append, (void *list, const char *text), (list, text), NULL)
HAND_ON_VOID(curl_slist_free_all)

HAND_ON(void *, curl_url, (void), (), NULL)
HAND_ON(
    int, curl_url_get, (const void *url, int what, char **part, unsigned flags), (url, what, part, flags), unavailable)
HAND_ON(int, curl_url_set, (void *url, int what, const char *part, unsigned flags), (url, what, part, flags), unavailable)

// MARK: Heads that end early

typedef size_t header_function(char *line, size_t size, size_t count, void *data);

// A transfer, and what its caller wants to be told of the head.
struct transfer {
  void *easy;
  header_function *function;
  void *data;
  bool is_in_head;
  struct transfer *next;
};

static struct transfer *transfers;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static struct transfer *transfer_of(void *easy) {
  pthread_mutex_lock(&guard);
  struct transfer *transfer = transfers;
  while (transfer != NULL && transfer->easy != easy) transfer = transfer->next;
  pthread_mutex_unlock(&guard);
  return transfer;
}

// Called with each line of a head. A hint (103) and a proxy's answer are heads before the head; trailers are lines behind.
static size_t header_arrived(char *line, size_t size, size_t count, void *data) {
  struct transfer *transfer = data;
  size_t length = size * count;
  if (length >= 5 && memcmp(line, "HTTP/", 5) == 0) transfer->is_in_head = true;
  if (length >= 1 && (line[0] == '\r' || line[0] == '\n')) transfer->is_in_head = false;
  return transfer->function(line, size, count, transfer->data);
}

// As in curl/curl.h, whose binary interface is fixed.
enum { header_data = 10029, header_callback = 20079, message_done = 1, got_nothing = 52 };

struct message {
  int kind;
  void *easy;
  union {
    void *word;
    int result;
  } data;
};

static int set_option(void *easy, int option, void *word) {
  static void *known;
  int (*function)(void *, int, ...) = find(&known, "curl_easy_setopt");
  return function == NULL ? unavailable : function(easy, option, word);
}

AS_IN_LIBCURL(curl_easy_init)
void *curl_easy_init(void) {
  static void *known;
  void *(*function)(void) = find(&known, "curl_easy_init");
  struct transfer *transfer = function == NULL ? NULL : calloc(1, sizeof *transfer);
  if (transfer == NULL) return NULL;
  transfer->easy = function();
  if (transfer->easy == NULL) {
    free(transfer);
    return NULL;
  }
  pthread_mutex_lock(&guard);
  transfer->next = transfers;
  transfers = transfer;
  pthread_mutex_unlock(&guard);
  return transfer->easy;
}

AS_IN_LIBCURL(curl_easy_setopt)
int curl_easy_setopt(void *easy, int option, ...) {
  va_list arguments;
  va_start(arguments, option);
  void *word = va_arg(arguments, void *);
  va_end(arguments);
  struct transfer *transfer = option == header_callback || option == header_data ? transfer_of(easy) : NULL;
  if (transfer == NULL) return set_option(easy, option, word);
  if (option == header_callback) transfer->function = (header_function *)word;
  else transfer->data = word;
  bool is_watched = transfer->function != NULL;
  set_option(easy, header_callback, is_watched ? (void *)header_arrived : NULL);
  return set_option(easy, header_data, is_watched ? transfer : transfer->data);
}

AS_IN_LIBCURL(curl_easy_cleanup)
void curl_easy_cleanup(void *easy) {
  static void *known;
  void (*function)(void *) = find(&known, "curl_easy_cleanup");
  struct transfer *found = NULL;
  pthread_mutex_lock(&guard);
  for (struct transfer **place = &transfers; *place != NULL; place = &(*place)->next) {
    if ((*place)->easy != easy) continue;
    found = *place;
    *place = found->next;
    break;
  }
  pthread_mutex_unlock(&guard);
  // Behind the list: the next handle may get the same address.
  if (function != NULL) function(easy);
  free(found);
}

AS_IN_LIBCURL(curl_multi_info_read)
void *curl_multi_info_read(void *multi, int *left) {
  static void *known;
  struct message *(*function)(void *, int *) = find(&known, "curl_multi_info_read");
  struct message *message = function == NULL ? NULL : function(multi, left);
  struct transfer *transfer = message == NULL || message->kind != message_done ? NULL : transfer_of(message->easy);
  if (transfer == NULL || !transfer->is_in_head) return message;
  transfer->is_in_head = false;
  if (message->data.result == 0) message->data.result = got_nothing;
  return message;
}

#else

// Elsewhere URLSession does not stand on libcurl.
bool curl_on_demand_is_there(void) { return true; }

#endif
