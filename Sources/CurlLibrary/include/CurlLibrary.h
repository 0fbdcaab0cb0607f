// The part of libcurl that ChirperRemote uses, loaded by the first call of curl_library_load and not before.
//
// libcurl's own functions are found with dlopen and dlsym. No name of libcurl is declared or defined here, so an app can
// link any libcurl of its own beside this, and nothing of libcurl is needed at build time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Options, codes and flags with the values that curl/curl.h and curl/multi.h give them. Their binary interface is fixed.
// A long is one word; a pointer is 10000 and a function 20000 above its number.
enum {
  CURL_OPTION_SSL_VERSION = 32,
  CURL_OPTION_FOLLOW_LOCATION = 52,
  CURL_OPTION_POST_FIELD_SIZE = 60,
  CURL_OPTION_VERIFY_PEER = 64,
  CURL_OPTION_VERIFY_HOST = 81,
  CURL_OPTION_HTTP_VERSION = 84,
  CURL_OPTION_BUFFER_SIZE = 98,
  CURL_OPTION_NO_SIGNAL = 99,
  CURL_OPTION_CONNECT_TIMEOUT_MS = 156,
  CURL_OPTION_PROTOCOLS = 181,
  CURL_OPTION_PATH_AS_IS = 234,
  CURL_OPTION_SUPPRESS_CONNECT_HEADERS = 265,
  CURL_OPTION_DISALLOW_USER = 278,
  CURL_OPTION_HTTP09_ALLOWED = 285,
  CURL_OPTION_QUICK_EXIT = 322,
  CURL_OPTION_WRITE_DATA = 10001,
  CURL_OPTION_URL = 10002,
  CURL_OPTION_PROXY = 10004,
  CURL_OPTION_HEADERS = 10023,
  CURL_OPTION_HEADER_DATA = 10029,
  CURL_OPTION_CA_FILE = 10065,
  CURL_OPTION_ACCEPT_ENCODING = 10102,
  CURL_OPTION_COPY_POST_FIELDS = 10165,
  CURL_OPTION_NO_PROXY = 10177,
  CURL_OPTION_WRITE_FUNCTION = 20011,
  CURL_OPTION_HEADER_FUNCTION = 20079,
};

enum {
  CURL_HTTP_VERSION_2_OVER_TLS = 4,
  CURL_SSL_VERSION_TLS_1_2 = 6,
  CURL_PROTOCOL_HTTP = 1,
  CURL_PROTOCOL_HTTPS = 2,
};

// What curl_library_get_long can be asked for: the status a proxy gave to CONNECT, and errno of a failed connect.
enum {
  CURL_INFO_PROXY_STATUS = 0x200000 + 22,
  CURL_INFO_ERRNO = 0x200000 + 25,
};

// How a transfer ended (CURLcode).
enum {
  CURL_RESULT_OK = 0,
  CURL_RESULT_UNSUPPORTED_PROTOCOL = 1,
  CURL_RESULT_BAD_URL = 3,
  CURL_RESULT_PROXY_NOT_RESOLVED = 5,
  CURL_RESULT_HOST_NOT_RESOLVED = 6,
  CURL_RESULT_NOT_CONNECTED = 7,
  CURL_RESULT_WEIRD_REPLY = 8,
  CURL_RESULT_HTTP2 = 16,
  CURL_RESULT_PARTIAL = 18,
  CURL_RESULT_OUT_OF_MEMORY = 27,
  CURL_RESULT_TIMED_OUT = 28,
  CURL_RESULT_SSL_CONNECT = 35,
  CURL_RESULT_BAD_HEADER = 43,
  CURL_RESULT_PEER_NOT_VERIFIED = 51,
  CURL_RESULT_GOT_NOTHING = 52,
  CURL_RESULT_SEND_FAILED = 55,
  CURL_RESULT_RECEIVE_FAILED = 56,
  CURL_RESULT_BAD_CERTIFICATE = 60,
  CURL_RESULT_BAD_ENCODING = 61,
  CURL_RESULT_TOO_MANY_BYTES = 63,
  CURL_RESULT_NO_AUTHORITIES = 77,
  CURL_RESULT_BAD_ISSUER = 83,
  CURL_RESULT_BAD_STATUS = 91,
  CURL_RESULT_HTTP2_STREAM = 92,
  CURL_RESULT_PROXY = 97,
  CURL_RESULT_TOO_LARGE = 100,
};

/// Whether libcurl is there with every function that is needed; loads it the first time. Safe on any thread.
bool curl_library_load(void);

/// libcurl's own words, as in "libcurl/7.88.1 OpenSSL/3.0.19 …"; NULL if it cannot be loaded.
const char *curl_library_version(void);

// Everything below needs a curl_library_load that gave true. A handle belongs to one thread at a time; only
// curl_library_multi_wake may be called from another. Functions that return int give 0 if all is well.

/// Called with bytes of a head or a body; anything but `size * count` ends the transfer.
typedef size_t (*curl_library_receiver)(char *bytes, size_t size, size_t count, void *data);

/// A new handle; its sockets are closed in programs that this process starts. NULL: no memory.
///
/// It is used for one transfer and not again: libcurl before 8.1.1 keeps a pointer to the last header of the transfer
/// before, and reads freed memory where the next answer begins with a folded line (curl issue 11101). Connections
/// belong to the set of transfers and are used again all the same.
void *curl_library_easy_init(void);
void curl_library_easy_cleanup(void *easy);
int curl_library_set_long(void *easy, int option, long value);
int curl_library_set_pointer(void *easy, int option, const void *value);
int curl_library_set_receiver(void *easy, int option, curl_library_receiver receiver);
/// The number asked for; 0 where libcurl does not know it.
long curl_library_get_long(void *easy, int info);

/// Adds a header line to a list, which is NULL for the first; NULL if memory cannot be allocated.
void *curl_library_headers_append(void *headers, const char *line);
void curl_library_headers_free(void *headers);

/// A new set of transfers that share their connections, at most `connections` of which are kept open; NULL: no memory.
void *curl_library_multi_init(long connections);
void curl_library_multi_cleanup(void *multi);
int curl_library_multi_add(void *multi, void *easy);
int curl_library_multi_remove(void *multi, void *easy);
/// Moves every transfer on as far as it goes without waiting.
int curl_library_multi_perform(void *multi);
/// Waits until there is something to do, at most so long, or until it is woken.
int curl_library_multi_poll(void *multi, int milliseconds);
/// Ends the wait of curl_library_multi_poll, or the next one; from any thread.
int curl_library_multi_wake(void *multi);
/// A transfer that has ended, and how; NULL if none has.
void *curl_library_multi_next_ended(void *multi, int *result);
