/** The review page's one style sheet. The classes that start with `d2h` are those of diff2html's rows. */
export const REVIEW_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fafaf8; --paper: #fff; --ink: #1d1f23; --soft: #5b6068; --line: #dfdfda; --edge: #8a8f97; --link: #0a58b0;
  --button: #0a58b0; --on-button: #fff;
  --plus: #17692f; --plus-ground: #e7f6ea; --plus-mark: #b4e5c0;
  --minus: #a4222c; --minus-ground: #fdeeee; --minus-mark: #f8c6c8; --hunk: #f1f3f7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141518; --paper: #1b1d21; --ink: #e7e7e3; --soft: #a3a8b0; --line: #33363c; --edge: #747a83; --link: #7db7f5;
    --button: #7db7f5; --on-button: #10151c;
    --plus: #86dba0; --plus-ground: #15291c; --plus-mark: #24593a;
    --minus: #f5a3a6; --minus-ground: #301a1c; --minus-mark: #6b2c31; --hunk: #22262d;
  }
}
@media (prefers-contrast: more) {
  :root { --ground: Canvas; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --line: CanvasText; --edge: CanvasText; }
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
article {
  margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: clip; scroll-margin-top: 1rem;
  content-visibility: auto; contain-intrinsic-size: auto 40rem;
}
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
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden] { display: none !important; }
.state { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0 0 1rem; }
.state .word {
  padding: 0.125rem 0.75rem; border: 1px solid currentColor; border-radius: 1rem; font-size: 0.875rem; font-weight: 600;
  color: var(--soft); white-space: nowrap;
}
.state[data-state='ready'] .word { color: var(--link); }
.state[data-state='merged'] .word { color: var(--plus); }
.state[data-state='failed'] .word { color: var(--minus); }
.state .why { overflow-wrap: anywhere; min-width: 0; }
button {
  font: inherit; font-size: 0.9375rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge);
  border-radius: 6px; padding: 0.375rem 0.875rem; min-height: 2.25rem; cursor: pointer;
}
button:hover { border-color: var(--ink); }
button.primary { background: var(--button); border-color: var(--button); color: var(--on-button); font-weight: 600; }
button[aria-disabled='true'] { opacity: 0.65; cursor: default; }
.news:not(:empty), .decided:not(:empty) { margin-top: 1.5rem; }
.news p, .decided:not(:empty) {
  margin: 0; max-width: none; padding: 0.625rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--link);
  border-radius: 6px; background: var(--paper); overflow-wrap: anywhere;
}
.news button { margin-left: 0.5rem; }
.news .bad, .decided[data-kind='bad'] { border-left-color: var(--minus); }
.decided[data-kind='good'] { border-left-color: var(--plus); }
.actions { margin-bottom: 1.5rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
#tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; margin-bottom: 1rem; }
.views { display: flex; }
.views button + button { border-top-left-radius: 0; border-bottom-left-radius: 0; margin-left: -1px; }
.views button:first-child { border-top-right-radius: 0; border-bottom-right-radius: 0; }
.views button[aria-pressed='true'] { background: var(--ink); border-color: var(--ink); color: var(--paper); }
.hint { margin: 0; color: var(--soft); font-size: 0.875rem; }
button.ln, .comment textarea { scroll-margin-block: 6rem; }
button.ln { all: unset; cursor: pointer; border-radius: 3px; font-variant-numeric: tabular-nums; }
td.n:has(button.ln) { cursor: pointer; }
td.n:hover button.ln { color: var(--link); text-decoration: underline; }
button.ln:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
td.picked { box-shadow: inset 3px 0 0 var(--link); color: var(--link); }
.split { table-layout: fixed; }
.split td { white-space: pre-wrap; overflow-wrap: anywhere; }
.split td.n { white-space: nowrap; }
.split col.n { width: 3.5rem; }
.split td.c + td.n { border-left: 1px solid var(--line); }
td.d2h-ins { background: var(--plus-ground); }
td.d2h-del { background: var(--minus-ground); }
td.n.d2h-ins { color: var(--plus); }
td.n.d2h-del { color: var(--minus); }
td.empty { background: var(--hunk); }
.editor td { padding: 0.75rem; white-space: normal; background: var(--ground); border-block: 1px solid var(--line); }
.comment { max-width: 42rem; font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.comment .where { margin: 0 0 0.375rem; font-size: 0.875rem; font-weight: 600; }
textarea {
  display: block; width: 100%; min-height: 5rem; margin: 0 0 0.5rem; padding: 0.5rem 0.625rem; resize: vertical; font: inherit;
  font-size: 1rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px;
}
textarea::placeholder { color: var(--soft); opacity: 1; }
.send {
  position: sticky; bottom: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center;
  justify-content: flex-end; padding: 0.75rem clamp(1rem, 4vw, 2.5rem); background: var(--paper); border-top: 1px solid var(--edge);
}
.send p { margin: 0; color: var(--soft); font-size: 0.9375rem; }
@media (forced-colors: active) {
  .views button[aria-pressed='true'], td.picked { outline: 2px solid Highlight; outline-offset: -2px; }
  button[aria-disabled='true'] { opacity: 1; color: GrayText; }
}
@media (max-width: 40rem) {
  .files li { flex-wrap: wrap; gap: 0 1rem; }
  td { white-space: pre-wrap; overflow-wrap: anywhere; }
  td.n { white-space: nowrap; padding-left: 0.5rem; }
  td.n span { min-width: 2ch; margin-left: 0.75ch; }
  .split col.n { width: 2.5rem; }
  .split td { padding-inline: 0.25rem; }
}
@media print { .actions, #tools, .send, .editor button { display: none; } h3 { position: static; } td { white-space: pre-wrap; overflow-wrap: anywhere; } }
`;
