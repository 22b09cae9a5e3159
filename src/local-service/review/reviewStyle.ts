/** The review page's only style sheet. Classes that start with `d2h` are diff2html's classes for lines. */
export const REVIEW_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fafaf8, #141518); --paper: light-dark(#fff, #1b1d21); --ink: light-dark(#1d1f23, #e7e7e3);
  --soft: light-dark(#5b6068, #a3a8b0); --line: light-dark(#dfdfda, #33363c); --edge: light-dark(#8a8f97, #747a83);
  --link: light-dark(#0a58b0, #7db7f5); --on-link: light-dark(#fff, #10151c); --hunk: light-dark(#f1f3f7, #22262d);
  --plus: light-dark(#17692f, #86dba0); --plus-ground: light-dark(#e7f6ea, #15291c); --plus-mark: light-dark(#b4e5c0, #24593a);
  --minus: light-dark(#a4222c, #f5a3a6); --minus-ground: light-dark(#fdeeee, #301a1c); --minus-mark: light-dark(#f8c6c8, #6b2c31);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-contrast: more) {
  :root { --ground: Canvas; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --line: CanvasText; --edge: CanvasText; }
}
* { box-sizing: border-box; }
html { scroll-padding-block: 1rem 6rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
}
header, main, .bar { padding-inline: max(1rem, (100% - 64rem) / 2); }
header { padding-top: clamp(1.5rem, 5vw, 3.5rem); }
main { padding-bottom: 3rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.25rem); font-weight: 650; letter-spacing: -0.015em; max-width: 42rem; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.125rem; font-weight: 650; }
p { margin: 0 0 0.75rem; max-width: 42rem; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre, .path, .counts, table { font-family: var(--mono); }
code, .path, .counts { font-size: 0.875em; overflow-wrap: anywhere; }
.kicker { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.lead { margin: 0; max-width: none; color: var(--soft); }
.lead code { color: var(--ink); }
.note, .hint { margin: 0; color: var(--soft); font: 0.875rem/1.6 system-ui, sans-serif; }
.state { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0 0 1rem; }
.state .word { padding: 0.125rem 0.75rem; border: 1px solid; border-radius: 1rem; font-size: 0.875rem; font-weight: 600; color: var(--soft); }
.state[data-state='ready'] .word { color: var(--link); }
.state[data-state='merged'] .word { color: var(--plus); }
.state[data-state='failed'] .word { color: var(--minus); }
.said { max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.remark { margin-top: 1rem; padding-left: 0.75rem; border-left: 3px solid var(--edge); }
section.check:has(> .note:first-child) { margin-top: 1.5rem; }
.findings { margin: 0; padding: 0 0 0 1.25rem; max-width: 64rem; }
.findings li { overflow-wrap: anywhere; }
.findings li + li { margin-top: 0.25rem; }
.findings .path { color: var(--soft); }
.findings + .note { margin-top: 0.75rem; }
details { margin-top: 0.75rem; }
summary { width: fit-content; color: var(--soft); font-size: 0.875rem; cursor: pointer; }
details > :not(summary), details > .findings { margin-top: 0.5rem; }
details + article { margin-top: 1rem; }
.prompts { margin: 0; padding: 0 0 0 1.5rem; }
.prompts li:only-child { margin-left: -1.5rem; list-style: none; }
.prompts li + li { margin-top: 1rem; }
.prompts li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
blockquote { margin: 0; max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.command {
  margin: 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper);
  white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5;
}
.command code { user-select: all; font-size: 0.9375rem; }
.files { margin: 0 0 1.5rem; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.files li { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.counts { white-space: nowrap; font-variant-numeric: tabular-nums; }
.counts ins { color: var(--plus); }
.counts del { color: var(--minus); }
ins, del { text-decoration: none; }
article {
  margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: clip;
  content-visibility: auto; contain-intrinsic-size: auto 40rem;
}
h3 {
  margin: 0; padding: 0.625rem 1rem; font-size: 0.9375rem; font-weight: 600; background: var(--paper);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 1;
}
h3 .path { font-size: inherit; margin-right: 0.5rem; }
.nothing { margin: 0; padding: 0.75rem 1rem; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; line-height: 1.55; tab-size: 4; }
td { padding: 0; vertical-align: top; }
td.n, td.s { width: 1%; color: var(--soft); white-space: nowrap; user-select: none; }
td.n { padding-left: 0.75rem; min-width: 3.5ch; text-align: right; font-variant-numeric: tabular-nums; }
td.s { padding-inline: 0.75rem 0.375rem; min-width: 1ch; }
td.c { padding-right: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.part { content-visibility: auto; contain-intrinsic-size: auto 62rem; }
.part:first-of-type tr:first-child td { padding-top: 0.25rem; }
.part:last-of-type tr:last-child td { padding-bottom: 0.25rem; }
.d2h-ins td { background: var(--plus-ground); }
.d2h-del td { background: var(--minus-ground); }
.d2h-ins td.n, .d2h-ins td.s { color: var(--plus); }
.d2h-del td.n, .d2h-del td.s { color: var(--minus); }
.d2h-ins ins { background: var(--plus-mark); border-radius: 2px; }
.d2h-del del { background: var(--minus-mark); border-radius: 2px; }
.d2h-info td { padding-inline: 0.75rem 1rem; background: var(--hunk); color: var(--soft); overflow-wrap: anywhere; }
textarea {
  display: block; width: 100%; max-width: 42rem; min-height: 6rem; margin: 0 0 0.25rem; padding: 0.5rem 0.625rem; resize: vertical;
  font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; field-sizing: content;
}
button {
  font: inherit; font-size: 0.9375rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge);
  border-radius: 6px; padding: 0.375rem 0.875rem; min-height: 2.25rem; cursor: pointer;
}
button:hover { border-color: var(--ink); }
button.primary { background: var(--link); border-color: var(--link); color: var(--on-link); font-weight: 600; }
button[aria-disabled='true'] { opacity: 0.65; cursor: default; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0; }
.follow-up .buttons { margin-top: 0.75rem; }
.result { margin: 0; max-width: none; overflow-wrap: anywhere; }
.follow-up .result:not(:empty) { margin-top: 0.5rem; }
.result:not(:empty) { padding-left: 0.75rem; border-left: 3px solid var(--minus); }
.bar {
  position: sticky; bottom: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: end;
  padding-block: 0.75rem; background: var(--paper); border-top: 1px solid var(--line);
}
.bar .result { flex: 1 1 20rem; max-height: 30vh; overflow: auto; font-size: 0.9375rem; }
.bar .result:empty { display: none; }
@media (forced-colors: active) { button[aria-disabled='true'] { opacity: 1; color: GrayText; } }
@media (max-width: 40rem) {
  td.n { padding-left: 0.375rem; min-width: 2.5ch; }
  td.s { padding-inline: 0.375rem 0.25rem; }
  td.n:first-child { display: none; }
}
@media (scripting: none) { .bar, .follow-up { display: none; } }
@media print { .bar, .follow-up { display: none; } h3 { position: static; } }
`;
