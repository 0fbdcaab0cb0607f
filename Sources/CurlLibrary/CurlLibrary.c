#include "CurlLibrary.h"

#ifdef __linux__

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>

// As in curl/multi.h.
struct message {
  int kind;
  void *easy;
  union {
    void *word;
    int result;
  } data;
};

enum { message_done = 1, global_default = 3, option_socket_function = 20148, multi_option_max_connections = 6 };

static struct {
  int (*global_init)(long);
  char *(*version)(void);
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *);
  int (*easy_setopt)(void *, int, ...);
  int (*easy_getinfo)(void *, int, ...);
  void *(*slist_append)(void *, const char *);
  void (*slist_free_all)(void *);
  void *(*multi_init)(void);
  int (*multi_cleanup)(void *);
  int (*multi_setopt)(void *, int, ...);
  int (*multi_add_handle)(void *, void *);
  int (*multi_remove_handle)(void *, void *);
  int (*multi_perform)(void *, int *);
  int (*multi_poll)(void *, void *, unsigned, int, int *);
  int (*multi_wakeup)(void *);
  struct message *(*multi_info_read)(void *, int *);
} curl;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find_all(void *library) {
#define FIND(name)                                                         \
  *(void **)&curl.name = dlsym(library, "curl_" #name);                    \
  if (curl.name == NULL) return false
  FIND(global_init);
  FIND(version);
  FIND(easy_init);
  FIND(easy_cleanup);
  FIND(easy_setopt);
  FIND(easy_getinfo);
  FIND(slist_append);
  FIND(slist_free_all);
  FIND(multi_init);
  FIND(multi_cleanup);
  FIND(multi_setopt);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_perform);
  FIND(multi_poll);
  FIND(multi_wakeup);
  FIND(multi_info_read);
#undef FIND
  return true;
}

static void load(void) {
  // RTLD_LOCAL: nobody else in the process gets to see these names.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  is_loaded = library != NULL && find_all(library) && curl.global_init(global_default) == CURL_RESULT_OK;
}

bool curl_library_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

const char *curl_library_version(void) { return curl_library_load() ? curl.version() : NULL; }

// Called with each new socket. Some versions of libcurl leave sockets open in programs that are started later.
static int socket_opened(void *data, int socket, int purpose) {
  (void)data, (void)purpose;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  return 0;
}

void *curl_library_easy_init(void) {
  void *easy = curl.easy_init();
  if (easy != NULL) curl.easy_setopt(easy, option_socket_function, socket_opened);
  return easy;
}

void curl_library_easy_cleanup(void *easy) { curl.easy_cleanup(easy); }

int curl_library_set_long(void *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }

int curl_library_set_pointer(void *easy, int option, const void *value) { return curl.easy_setopt(easy, option, value); }

int curl_library_set_receiver(void *easy, int option, curl_library_receiver receiver) {
  return curl.easy_setopt(easy, option, receiver);
}

long curl_library_get_long(void *easy, int info) {
  long value = 0;
  return curl.easy_getinfo(easy, info, &value) == CURL_RESULT_OK ? value : 0;
}

void *curl_library_headers_append(void *headers, const char *line) { return curl.slist_append(headers, line); }

void curl_library_headers_free(void *headers) { curl.slist_free_all(headers); }

void *curl_library_multi_init(long connections) {
  void *multi = curl.multi_init();
  if (multi != NULL) curl.multi_setopt(multi, multi_option_max_connections, connections);
  return multi;
}

void curl_library_multi_cleanup(void *multi) { curl.multi_cleanup(multi); }

int curl_library_multi_add(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }

int curl_library_multi_remove(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }

int curl_library_multi_perform(void *multi) {
  int running = 0;
  return curl.multi_perform(multi, &running);
}

int curl_library_multi_poll(void *multi, int milliseconds) { return curl.multi_poll(multi, NULL, 0, milliseconds, NULL); }

int curl_library_multi_wake(void *multi) { return curl.multi_wakeup(multi); }

void *curl_library_multi_next_ended(void *multi, int *result) {
  int left = 0;
  struct message *message;
  while ((message = curl.multi_info_read(multi, &left)) != NULL) {
    if (message->kind != message_done) continue;
    *result = message->data.result;
    return message->easy;
  }
  return NULL;
}

#endif
