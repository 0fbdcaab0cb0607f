#include "EmbeddedServerFiles.h"

#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const chirper_server_file files[] = {
  {"api.js", (const char[]){
#embed "../ChirperServer/Page/Files/api.js" suffix(, 0)
  }},
  {"bar.js", (const char[]){
#embed "../ChirperServer/Page/Files/bar.js" suffix(, 0)
  }},
  {"canvas.js", (const char[]){
#embed "../ChirperServer/Page/Files/canvas.js" suffix(, 0)
  }},
  {"charts.js", (const char[]){
#embed "../ChirperServer/Page/Files/charts.js" suffix(, 0)
  }},
  {"columns.js", (const char[]){
#embed "../ChirperServer/Page/Files/columns.js" suffix(, 0)
  }},
  {"compare.js", (const char[]){
#embed "../ChirperServer/Page/Files/compare.js" suffix(, 0)
  }},
  {"dom.js", (const char[]){
#embed "../ChirperServer/Page/Files/dom.js" suffix(, 0)
  }},
  {"export.js", (const char[]){
#embed "../ChirperServer/Page/Files/export.js" suffix(, 0)
  }},
  {"filters.js", (const char[]){
#embed "../ChirperServer/Page/Files/filters.js" suffix(, 0)
  }},
  {"fit.js", (const char[]){
#embed "../ChirperServer/Page/Files/fit.js" suffix(, 0)
  }},
  {"index.html", (const char[]){
#embed "../ChirperServer/Page/Files/index.html" suffix(, 0)
  }},
  {"keys.js", (const char[]){
#embed "../ChirperServer/Page/Files/keys.js" suffix(, 0)
  }},
  {"land.js", (const char[]){
#embed "../ChirperServer/Page/Files/land.js" suffix(, 0)
  }},
  {"land.json", (const char[]){
#embed "../ChirperServer/Page/Files/land.json" suffix(, 0)
  }},
  {"learn.js", (const char[]){
#embed "../ChirperServer/Page/Files/learn.js" suffix(, 0)
  }},
  {"main.js", (const char[]){
#embed "../ChirperServer/Page/Files/main.js" suffix(, 0)
  }},
  {"map.js", (const char[]){
#embed "../ChirperServer/Page/Files/map.js" suffix(, 0)
  }},
  {"page.css", (const char[]){
#embed "../ChirperServer/Page/Files/page.css" suffix(, 0)
  }},
  {"player.js", (const char[]){
#embed "../ChirperServer/Page/Files/player.js" suffix(, 0)
  }},
  {"recording.js", (const char[]){
#embed "../ChirperServer/Page/Files/recording.js" suffix(, 0)
  }},
  {"row-sonograms.js", (const char[]){
#embed "../ChirperServer/Page/Files/row-sonograms.js" suffix(, 0)
  }},
  {"rows.js", (const char[]){
#embed "../ChirperServer/Page/Files/rows.js" suffix(, 0)
  }},
  {"sonogram-worker.js", (const char[]){
#embed "../ChirperServer/Page/Files/sonogram-worker.js" suffix(, 0)
  }},
  {"sonogram.js", (const char[]){
#embed "../ChirperServer/Page/Files/sonogram.js" suffix(, 0)
  }},
  {"sound.js", (const char[]){
#embed "../ChirperServer/Page/Files/sound.js" suffix(, 0)
  }},
  {"spectrum.js", (const char[]){
#embed "../ChirperServer/Page/Files/spectrum.js" suffix(, 0)
  }},
  {"state.js", (const char[]){
#embed "../ChirperServer/Page/Files/state.js" suffix(, 0)
  }},
  {"text.js", (const char[]){
#embed "../ChirperServer/Page/Files/text.js" suffix(, 0)
  }},
  {"tracks.js", (const char[]){
#embed "../ChirperServer/Page/Files/tracks.js" suffix(, 0)
  }},
  {"views.js", (const char[]){
#embed "../ChirperServer/Page/Files/views.js" suffix(, 0)
  }},
  {"openapi.json", (const char[]){
#embed "../../docs/openapi.json" suffix(, 0)
  }},
};

const chirper_server_file *chirper_server_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
