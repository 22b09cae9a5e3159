import type { TextPlace } from './blocks';
import { elide, shareBudget } from './budgets';
import { type ContextBlock, formatPlace, renderBlock } from './contextBlock';

/** The prompt in a document: line breaks become line feeds, and surrounding white space is removed. */
export function promptText(document: string): string {
  return document.replace(/\r\n?/g, '\n').trim();
}

/** A folder on the user's machine, and its replacement in a prompt. */
export interface LocalFolder {
  /** Absolute, in the system's notation. */
  path: string;
  name: string;
}

/**
 * Removes local folder locations from a text: a path in one of the folders becomes relative to it, and the folder's own
 * path becomes its name. `home`, which contains the user's name, becomes `~`.
 */
export function withoutLocalPaths(text: string, folders: readonly LocalFolder[], home: string): string {
  const all = [
    ...folders.map(({ path, name }) => ({ path, below: '', itself: name })),
    { path: home, below: '~/', itself: '~' },
  ];
  return all
    .map((each) => ({ ...each, path: each.path.replace(/(?<![/\\])[/\\]+$/, '') }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => b.path.length - a.path.length)
    .reduce((shown, { path, below, itself }) => {
      const pattern = path.split(/[/\\]/).map(escaped).join('[/\\\\]+');
      // Paths that start with a drive letter are case-insensitive.
      const flags = /^[a-z]:/i.test(path) ? 'gi' : 'g';
      const found = new RegExp(`(?:file:/{2,3}|(?<![\\w/\\\\]))${pattern}(?:([/\\\\]+)|(?![\\w-]))`, flags);
      return shown.replace(found, (_, slash: string | undefined) => (slash === undefined ? itself : below));
    }, text);
}

function escaped(part: string): string {
  return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Number of bytes that git checks too (`buffer_is_binary` in its xdiff-interface.c). */
const SNIFF_LENGTH = 8_000;

/** Whether bytes are binary, by git's test (a NUL near the start), except that UTF-16 text counts as text. */
export function looksBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && bytes.subarray(0, SNIFF_LENGTH).includes(0);
}

/**
 * Whether a text was decoded from bytes that are invalid in its encoding: small images and archives may contain no NUL.
 */
export function looksGarbled(text: string): boolean {
  const head = text.slice(0, SNIFF_LENGTH);
  const strange = head.match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0;
  return strange > head.length / 20;
}

/** Text selected by the user. Lines count from 1. */
export interface SelectedText extends TextPlace {
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** The instruction (or a default one), followed by each full selection as context with path, lines and language. */
export function promptWithSelections(instruction: string, selections: readonly SelectedText[]): string {
  const asked = instruction.trim() === '' ? plainInstruction(selections) : instruction.trim();
  return [asked, ...selections.map((selection) => renderBlock(selectionBlock(selection)))].join('\n\n');
}

/** The selections as blocks that share a budget of characters. */
export function selectionBlocks(selections: readonly SelectedText[], budget: number): ContextBlock[] {
  const shares = shareBudget(
    selections.map(({ text }) => text.length),
    budget,
  );
  return selections.map((selection, index) => {
    const block = selectionBlock(selection);
    return { ...block, text: elide(block.text, shares[index] ?? 0) };
  });
}

/** The location is on a line of its own, because the first line becomes the title of the job and its pull request. */
function plainInstruction([first, second, ...more]: readonly SelectedText[]): string {
  if (first === undefined || second === undefined) {
    const place = first === undefined ? '' : `Work on ${formatSelectionPlace(first)}\n\n`;
    return `${place}Follow the instructions in this text. If it has none, update it to match the code.`;
  }
  const rest = more.length === 0 ? formatSelectionPlace(second) : `${more.length + 1} more places`;
  return `Work on ${formatSelectionPlace(first)}, and ${rest}\n\nFollow the instructions in these texts. If they have none, update them to match the code.`;
}

function formatSelectionPlace({ path, startLine, endLine }: SelectedText): string {
  return formatPlace({ path, lines: { start: startLine, end: endLine } });
}

function selectionBlock(selection: SelectedText): ContextBlock {
  const { notes, languageId, text } = selection;
  return { heading: `From ${formatSelectionPlace(selection)}`, notes, languageId, text };
}
