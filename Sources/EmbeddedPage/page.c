#include "EmbeddedPage.h"

#if !defined(__has_embed)
#error "this needs a compiler with #embed: clang 19, as in Swift 6.2 and Xcode 26, or later"
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char api_js[] = {
#embed "../ChirperServer/Page/api.js" suffix(, 0)
};

static const char charts_js[] = {
#embed "../ChirperServer/Page/charts.js" suffix(, 0)
};

static const char coast_js[] = {
#embed "../ChirperServer/Page/coast.js" suffix(, 0)
};

static const char columns_js[] = {
#embed "../ChirperServer/Page/columns.js" suffix(, 0)
};

static const char compare_js[] = {
#embed "../ChirperServer/Page/compare.js" suffix(, 0)
};

static const char dom_js[] = {
#embed "../ChirperServer/Page/dom.js" suffix(, 0)
};

static const char export_js[] = {
#embed "../ChirperServer/Page/export.js" suffix(, 0)
};

static const char index_html[] = {
#embed "../ChirperServer/Page/index.html" suffix(, 0)
};

static const char keys_js[] = {
#embed "../ChirperServer/Page/keys.js" suffix(, 0)
};

static const char main_js[] = {
#embed "../ChirperServer/Page/main.js" suffix(, 0)
};

static const char map_js[] = {
#embed "../ChirperServer/Page/map.js" suffix(, 0)
};

static const char page_css[] = {
#embed "../ChirperServer/Page/page.css" suffix(, 0)
};

static const char player_js[] = {
#embed "../ChirperServer/Page/player.js" suffix(, 0)
};

static const char recording_js[] = {
#embed "../ChirperServer/Page/recording.js" suffix(, 0)
};

static const char rows_js[] = {
#embed "../ChirperServer/Page/rows.js" suffix(, 0)
};

static const char sonogram_worker_js[] = {
#embed "../ChirperServer/Page/sonogram-worker.js" suffix(, 0)
};

static const char sonogram_js[] = {
#embed "../ChirperServer/Page/sonogram.js" suffix(, 0)
};

static const char sound_js[] = {
#embed "../ChirperServer/Page/sound.js" suffix(, 0)
};

static const char spectrum_js[] = {
#embed "../ChirperServer/Page/spectrum.js" suffix(, 0)
};

static const char state_js[] = {
#embed "../ChirperServer/Page/state.js" suffix(, 0)
};

static const char text_js[] = {
#embed "../ChirperServer/Page/text.js" suffix(, 0)
};

static const char tracks_js[] = {
#embed "../ChirperServer/Page/tracks.js" suffix(, 0)
};

static const char views_js[] = {
#embed "../ChirperServer/Page/views.js" suffix(, 0)
};

static const chirper_page_file files[] = {
  {"api.js", api_js},
  {"charts.js", charts_js},
  {"coast.js", coast_js},
  {"columns.js", columns_js},
  {"compare.js", compare_js},
  {"dom.js", dom_js},
  {"export.js", export_js},
  {"index.html", index_html},
  {"keys.js", keys_js},
  {"main.js", main_js},
  {"map.js", map_js},
  {"page.css", page_css},
  {"player.js", player_js},
  {"recording.js", recording_js},
  {"rows.js", rows_js},
  {"sonogram-worker.js", sonogram_worker_js},
  {"sonogram.js", sonogram_js},
  {"sound.js", sound_js},
  {"spectrum.js", spectrum_js},
  {"state.js", state_js},
  {"text.js", text_js},
  {"tracks.js", tracks_js},
  {"views.js", views_js},
};

const chirper_page_file *chirper_page_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
