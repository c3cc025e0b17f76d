// One style sheet for all pages: the reader's own fonts, light and dark by the reader's setting,
// one column that fits a phone.
#include "engine/report/site_document.h"

namespace assay {

std::string_view site_style() {
  return R"(:root {
  color-scheme: light dark;
  --paper: #fdfdfc;
  --ink: #1c1e21;
  --soft: #5d646d;
  --line: #e2e4e7;
  --code: #f3f4f5;
  --link: #0b5cad;
  --error: #b3261e;
  --error-paper: #fbe9e7;
  --warning: #8a5300;
  --warning-paper: #fdf0d5;
  --note: #0b5cad;
  --note-paper: #e4f0fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a;
    --ink: #e4e6e9;
    --soft: #9aa3ad;
    --line: #2c3036;
    --code: #1e2126;
    --link: #7ab7f5;
    --error: #ff9c92;
    --error-paper: #43201d;
    --warning: #f2bf6b;
    --warning-paper: #3b2c12;
    --note: #8fc4f8;
    --note-paper: #17304a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto;
  max-width: 50rem;
  padding: 0 1.25rem 3rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
header {
  padding: 1rem 0;
  border-bottom: 1px solid var(--line);
  color: var(--soft);
  font-size: 0.9rem;
}
.brand { color: var(--ink); font-weight: 700; }
.eyebrow { margin: 2rem 0 0.5rem; color: var(--soft); font-size: 0.9rem; }
.severity { padding: 0.1rem 0.55rem; border-radius: 1rem; font-weight: 600; }
.severity.error { background: var(--error-paper); color: var(--error); }
.severity.warning { background: var(--warning-paper); color: var(--warning); }
.severity.note { background: var(--note-paper); color: var(--note); }
h1 { margin: 0 0 1.5rem; font-size: 1.65rem; line-height: 1.25; overflow-wrap: anywhere; }
header + main h1:first-child { margin-top: 2rem; }
h1.message {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 1.35rem;
  line-height: 1.4;
}
h2 { margin: 2.25rem 0 0.6rem; font-size: 1.15rem; line-height: 1.3; }
p { margin: 0.6rem 0; overflow-wrap: break-word; }
ul, ol { margin: 0.6rem 0; padding-left: 1.4rem; }
li { margin: 0.35rem 0; overflow-wrap: anywhere; }
small { color: var(--soft); font-size: 0.875rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 0.875rem;
}
code { padding: 0.1em 0.35em; border-radius: 0.25rem; background: var(--code); overflow-wrap: anywhere; }
pre {
  margin: 0.75rem 0;
  padding: 0.85rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--code);
  line-height: 1.5;
  overflow-x: auto;
}
pre code { padding: 0; background: none; overflow-wrap: normal; }
.note {
  padding: 0.6rem 0.9rem;
  border-left: 3px solid var(--note);
  background: var(--note-paper);
}
footer {
  margin-top: 3rem;
  padding-top: 1rem;
  border-top: 1px solid var(--line);
  color: var(--soft);
  font-size: 0.85rem;
}
@media print {
  header { display: none; }
  pre { white-space: pre-wrap; }
}
)";
}

}  // namespace assay
