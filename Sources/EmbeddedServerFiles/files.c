#include "EmbeddedServerFiles.h"

#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const chirper_server_file files[] = {
  {"api.js", (const char[]){
#embed "../ChirperServer/Page/api.js" suffix(, 0)
  }},
  {"bar.js", (const char[]){
#embed "../ChirperServer/Page/bar.js" suffix(, 0)
  }},
  {"canvas.js", (const char[]){
#embed "../ChirperServer/Page/canvas.js" suffix(, 0)
  }},
  {"charts.js", (const char[]){
#embed "../ChirperServer/Page/charts.js" suffix(, 0)
  }},
  {"coast.js", (const char[]){
#embed "../ChirperServer/Page/coast.js" suffix(, 0)
  }},
  {"columns.js", (const char[]){
#embed "../ChirperServer/Page/columns.js" suffix(, 0)
  }},
  {"compare.js", (const char[]){
#embed "../ChirperServer/Page/compare.js" suffix(, 0)
  }},
  {"dom.js", (const char[]){
#embed "../ChirperServer/Page/dom.js" suffix(, 0)
  }},
  {"export.js", (const char[]){
#embed "../ChirperServer/Page/export.js" suffix(, 0)
  }},
  {"filters.js", (const char[]){
#embed "../ChirperServer/Page/filters.js" suffix(, 0)
  }},
  {"fit.js", (const char[]){
#embed "../ChirperServer/Page/fit.js" suffix(, 0)
  }},
  {"index.html", (const char[]){
#embed "../ChirperServer/Page/index.html" suffix(, 0)
  }},
  {"keys.js", (const char[]){
#embed "../ChirperServer/Page/keys.js" suffix(, 0)
  }},
  {"learn.js", (const char[]){
#embed "../ChirperServer/Page/learn.js" suffix(, 0)
  }},
  {"main.js", (const char[]){
#embed "../ChirperServer/Page/main.js" suffix(, 0)
  }},
  {"map.js", (const char[]){
#embed "../ChirperServer/Page/map.js" suffix(, 0)
  }},
  {"page.css", (const char[]){
#embed "../ChirperServer/Page/page.css" suffix(, 0)
  }},
  {"player.js", (const char[]){
#embed "../ChirperServer/Page/player.js" suffix(, 0)
  }},
  {"recording.js", (const char[]){
#embed "../ChirperServer/Page/recording.js" suffix(, 0)
  }},
  {"rows.js", (const char[]){
#embed "../ChirperServer/Page/rows.js" suffix(, 0)
  }},
  {"sonogram-worker.js", (const char[]){
#embed "../ChirperServer/Page/sonogram-worker.js" suffix(, 0)
  }},
  {"sonogram.js", (const char[]){
#embed "../ChirperServer/Page/sonogram.js" suffix(, 0)
  }},
  {"sound.js", (const char[]){
#embed "../ChirperServer/Page/sound.js" suffix(, 0)
  }},
  {"spectrum.js", (const char[]){
#embed "../ChirperServer/Page/spectrum.js" suffix(, 0)
  }},
  {"state.js", (const char[]){
#embed "../ChirperServer/Page/state.js" suffix(, 0)
  }},
  {"text.js", (const char[]){
#embed "../ChirperServer/Page/text.js" suffix(, 0)
  }},
  {"tracks.js", (const char[]){
#embed "../ChirperServer/Page/tracks.js" suffix(, 0)
  }},
  {"views.js", (const char[]){
#embed "../ChirperServer/Page/views.js" suffix(, 0)
  }},
  {"openapi.json", (const char[]){
#embed "../../docs/openapi.json" suffix(, 0)
  }},
};

const chirper_server_file *chirper_server_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
