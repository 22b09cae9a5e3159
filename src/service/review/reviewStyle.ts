/** The review page's one style sheet. The classes that start with `d2h` are those of diff2html's rows. */
export const REVIEW_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fafaf8; --paper: #fff; --ink: #1d1f23; --soft: #5b6068; --line: #dfdfda; --link: #0a58b0;
  --plus: #17692f; --plus-ground: #e7f6ea; --plus-mark: #b4e5c0;
  --minus: #a4222c; --minus-ground: #fdeeee; --minus-mark: #f8c6c8; --hunk: #f1f3f7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141518; --paper: #1b1d21; --ink: #e7e7e3; --soft: #a3a8b0; --line: #33363c; --link: #7db7f5;
    --plus: #86dba0; --plus-ground: #15291c; --plus-mark: #24593a;
    --minus: #f5a3a6; --minus-ground: #301a1c; --minus-mark: #6b2c31; --hunk: #22262d;
  }
}
@media (prefers-contrast: more) {
  :root { --ground: Canvas; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --line: CanvasText; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
}
header, main { max-width: 68rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
header { padding-top: clamp(2rem, 6vw, 4rem); }
main { padding-bottom: 5rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.25rem); font-weight: 650; letter-spacing: -0.015em; max-width: 42rem; }
h2 { margin: 3rem 0 0.75rem; font-size: 1.125rem; font-weight: 650; }
p { margin: 0 0 0.75rem; max-width: 42rem; }
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre, .path, .counts, table { font-family: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace; }
code, .path, .counts { font-size: 0.875em; overflow-wrap: anywhere; }
.kicker { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.lead { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.lead code { color: var(--ink); }
.note { margin: 0; color: var(--soft); font: 0.875rem/1.6 system-ui, sans-serif; font-weight: 400; }
.command {
  margin: 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper);
  white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5;
}
.command code { user-select: all; font-size: 0.9375rem; }
.prompts { margin: 0; padding-left: 1.5rem; }
.prompts.single { padding: 0; list-style: none; }
.prompts li + li { margin-top: 1rem; }
.prompts li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
blockquote { margin: 0; max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.files { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.files li { display: flex; gap: 1rem; justify-content: space-between; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.counts { white-space: nowrap; font-variant-numeric: tabular-nums; }
.counts ins { color: var(--plus); }
.counts del { color: var(--minus); }
ins, del { text-decoration: none; }
article { margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: clip; scroll-margin-top: 1rem; }
h3 {
  margin: 0; padding: 0.625rem 1rem; font-size: 0.9375rem; font-weight: 600; background: var(--paper);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 1;
}
h3 .path { font-size: inherit; margin-right: 0.5rem; }
.nothing { margin: 0; padding: 0.75rem 1rem; color: var(--soft); }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline-offset: -2px; }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; line-height: 1.55; tab-size: 4; }
td { padding: 0 1rem 0 0.5rem; white-space: pre; vertical-align: top; }
td.n { width: 1%; padding: 0 0.5rem 0 0.75rem; color: var(--soft); user-select: none; text-align: right; font-variant-numeric: tabular-nums; }
td.n span { display: inline-block; min-width: 3ch; margin-left: 0.75ch; }
tr:first-child td { padding-top: 0.25rem; }
tr:last-child td { padding-bottom: 0.25rem; }
.d2h-ins td { background: var(--plus-ground); }
.d2h-del td { background: var(--minus-ground); }
.d2h-ins td.n { color: var(--plus); }
.d2h-del td.n { color: var(--minus); }
.d2h-ins ins { background: var(--plus-mark); border-radius: 2px; }
.d2h-del del { background: var(--minus-mark); border-radius: 2px; }
.d2h-info td { background: var(--hunk); color: var(--soft); }
@media (max-width: 40rem) {
  .files li { flex-wrap: wrap; gap: 0 1rem; }
  td { white-space: pre-wrap; overflow-wrap: anywhere; }
  td.n { white-space: nowrap; padding-left: 0.5rem; }
  td.n span { min-width: 2ch; margin-left: 0.25ch; }
}
@media print { h3 { position: static; } td { white-space: pre-wrap; overflow-wrap: anywhere; } }
`;
