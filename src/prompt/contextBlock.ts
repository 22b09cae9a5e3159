import { codeSpan, fenceFor } from './fence';

/** One piece of context of a prompt: what it is in a line, and its text in a fence. */
export interface ContextBlock {
  /** What it is, as one line of Markdown without an end mark: “From `src/a.ts`, lines 3-10”. */
  heading: string;
  /** What else is known of it, one line of Markdown each: its permalink, what of it the agent can't see. */
  notes: readonly string[];
  /** The fence's info string: VS Code's language identifier, or `diff`. */
  languageId: string;
  text: string;
}

/** A place in a file of the project. Lines count from 1; without them it is the whole file. */
export interface Place {
  path: string;
  lines?: { start: number; end: number };
}

/** “`src/a.ts`, lines 3-10”: Markdown that no path can break. */
export function placeName({ path, lines }: Place): string {
  if (lines === undefined) {
    return codeSpan(path);
  }
  const { start, end } = lines;
  return `${codeSpan(path)}, ${start === end ? `line ${start}` : `lines ${start}-${end}`}`;
}

/** The block as Markdown: heading, notes, and the text whole in a fence that it can't end. */
export function renderBlock({ heading, notes, languageId, text }: ContextBlock): string {
  const fence = fenceFor(text);
  const language = /^[\w+#.-]+$/.test(languageId) ? languageId : '';
  const above = notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)];
  return [`${heading}:`, ...above, '', fence + language, text.replace(/\n$/, ''), fence].join('\n');
}
