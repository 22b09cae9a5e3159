/** The review page's only style sheet. */
export const REVIEW_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fafaf8, #141518); --paper: light-dark(#fff, #1b1d21); --ink: light-dark(#1d1f23, #e7e7e3);
  --soft: light-dark(#5b6068, #a3a8b0); --line: light-dark(#dfdfda, #33363c); --edge: light-dark(#8a8f97, #747a83);
  --link: light-dark(#0a58b0, #7db7f5); --plus: light-dark(#17692f, #86dba0); --plus-mark: light-dark(#c9edd2, #1f4a30);
  --minus: light-dark(#a4222c, #f5a3a6); --minus-mark: light-dark(#fbd9da, #57262b);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-contrast: more) {
  :root { --ground: Canvas; --paper: Canvas; --ink: CanvasText; --soft: CanvasText; --line: CanvasText; --edge: CanvasText; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
}
header, main { padding-inline: max(1rem, (100% - 64rem) / 2); }
header { padding-top: clamp(1.5rem, 5vw, 3.5rem); }
main { padding-bottom: 3rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.25rem); font-weight: 650; letter-spacing: -0.015em; max-width: 42rem; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.125rem; font-weight: 650; }
p { margin: 0 0 0.75rem; max-width: 42rem; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre, .path, .counts { font-family: var(--mono); overflow-wrap: anywhere; }
code, .path, .counts { font-size: 0.875em; }
pre { margin: 0; white-space: pre-wrap; }
.kicker { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.lead { margin: 0; max-width: none; color: var(--soft); }
.lead code { color: var(--ink); }
.note { margin: 0; color: var(--soft); font: 0.875rem/1.6 system-ui, sans-serif; }
.state { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0 0 1rem; }
.state .word { padding: 0.125rem 0.75rem; border: 1px solid; border-radius: 1rem; font-size: 0.875rem; font-weight: 600; color: var(--soft); }
.state[data-state='ready'] .word { color: var(--link); }
.state[data-state='merged'] .word { color: var(--plus); }
.state[data-state='failed'] .word { color: var(--minus); }
.said, .prompts li { max-width: 42rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.remark { margin-top: 1rem; padding-left: 0.75rem; border-left: 3px solid var(--edge); }
details { margin-top: 0.75rem; }
summary { width: fit-content; color: var(--soft); font-size: 0.875rem; cursor: pointer; }
.prompts { margin: 0.5rem 0 0; padding: 0 0 0 1.5rem; }
.prompts li:only-child { margin-left: -1.5rem; list-style: none; }
.prompts li + li { margin-top: 1rem; }
.command { margin-bottom: 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
.command code { user-select: all; }
.files { margin: 0 0 1.5rem; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.files li { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.counts { white-space: nowrap; font-variant-numeric: tabular-nums; }
.counts b { font-weight: inherit; }
.plus { color: var(--plus); }
.minus { color: var(--minus); }
article { margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: clip; }
h3 { margin: 0; padding: 0.625rem 1rem; font-size: 0.9375rem; font-weight: 600; }
h3 .path { margin-right: 0.5rem; }
.hunk, .nothing { margin: 0; padding: 0.75rem 1rem; border-top: 1px solid var(--line); }
.hunk { font-size: 0.8125rem; tab-size: 4; }
.nothing { color: var(--soft); }
ins, del { border-radius: 2px; }
ins { background: var(--plus-mark); text-decoration: none; }
del { background: var(--minus-mark); }
`;
