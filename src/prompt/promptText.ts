import type { TextPlace } from './blocks';
import { elide, shareBudget } from './budgets';
import { type ContextBlock, placeName, renderBlock } from './contextBlock';

/** The prompt that a document makes: line breaks are line feeds, and nothing empty stands at either end. */
export function promptText(document: string): string {
  return document.replace(/\r\n?/g, '\n').trim();
}

/** A folder of the user's machine, and what a prompt says instead. */
export interface LocalFolder {
  /** Absolute, as the system writes it. */
  path: string;
  name: string;
}

/**
 * A text without where the folders lie on the user's machine: a path below one is told from there on, and the folder's
 * own by its name. `home`, which names the user, becomes `~`.
 */
export function withoutLocalPaths(text: string, folders: readonly LocalFolder[], home: string): string {
  const all = [
    ...folders.map(({ path, name }) => ({ path, below: '', itself: name })),
    { path: home, below: '~/', itself: '~' },
  ];
  return all
    .map((each) => ({ ...each, path: each.path.replace(/[/\\]+$/, '') }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => b.path.length - a.path.length)
    .reduce((told, { path, below, itself }) => {
      const pattern = path.split(/[/\\]/).map(escaped).join('[/\\\\]+');
      // A disk that begins with a letter knows no case.
      const flags = /^[a-z]:/i.test(path) ? 'gi' : 'g';
      const found = new RegExp(`(?:file:/{2,3}|(?<![\\w/\\\\]))${pattern}(?:([/\\\\]+)|(?![\\w-]))`, flags);
      return told.replace(found, (_, slash: string | undefined) => (slash === undefined ? itself : below));
    }, text);
}

function escaped(part: string): string {
  return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** How far Git looks, too (`buffer_is_binary` in its xdiff-interface.c). */
const LOOK = 8_000;

/** Whether bytes are no text: as Git tells it, by a NUL near the beginning, but for texts of two bytes a character. */
export function looksBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && bytes.subarray(0, LOOK).includes(0);
}

/** Whether a text was made of bytes that are none in its encoding: short pictures and archives have no NUL. */
export function looksGarbled(text: string): boolean {
  const head = text.slice(0, LOOK);
  const strange = head.match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0;
  return strange > head.length / 20;
}

/** A piece of text that the user selected. Lines count from 1. */
export interface SelectedText extends TextPlace {
  startLine: number;
  endLine: number;
  languageId: string;
  text: string;
}

/** More than this, in characters, is hardly what somebody means to send without another look. */
const LONG = 20_000;

export function selectionLength(selections: readonly SelectedText[]): number {
  return selections.reduce((sum, { text }) => sum + text.length, 0);
}

export function isLongSelection(selections: readonly SelectedText[]): boolean {
  return selectionLength(selections) > LONG;
}

/** The instruction, or a plain one, and below it each selection whole as context with path, lines and language. */
export function promptWithSelections(instruction: string, selections: readonly SelectedText[]): string {
  const asked = instruction.trim() === '' ? plainInstruction(selections) : instruction.trim();
  return [asked, ...selections.map((selection) => renderBlock(selectionBlock(selection)))].join('\n\n');
}

/** The selections within a budget of characters that they share. */
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

/** The first line of a prompt is the title of its job and its pull request: it names the place. */
function plainInstruction([first, second, ...more]: readonly SelectedText[]): string {
  const whole = 'or else bring it up to date with the code.';
  if (first === undefined || second === undefined) {
    const place = first === undefined ? '' : ` from ${placeOf(first)}`;
    return `Work on the text${place}: do what it asks for, ${whole}`;
  }
  const rest = more.length === 0 ? placeOf(second) : `${more.length + 1} more places`;
  return `Work on the texts from ${placeOf(first)}, and ${rest}: do what they ask for, ${whole.replace('it', 'them')}`;
}

function placeOf({ path, startLine, endLine }: SelectedText): string {
  return placeName({ path, lines: { start: startLine, end: endLine } });
}

function selectionBlock(selection: SelectedText): ContextBlock {
  const { notes, languageId, text } = selection;
  return { heading: `From ${placeOf(selection)}`, notes, languageId, text };
}
