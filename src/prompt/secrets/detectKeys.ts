import type { Detector, Secret } from './secret';

/**
 * What ends a piece of text: the first or last line of a key, the end of a string before another, or a line end.
 * Strings contain line ends as escape sequences, a diff shows carriage returns, “…” is where text was left out, and an
 * environment variable may have a space for each line end.
 */
const ENDS =
  /-----(?:BEGIN|END) ?(?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----|["'][\s\\,+.]{0,40}["']|\\[nrt]|[\n\r␊␍…]|[ \t](?<=[A-Za-z0-9+/=]{40}.)|$/g;

/** A sign of base64 in JSON: `\/`, `\u002B`. */
const ESCAPED = String.raw`\\{1,8}(?:\/|u00[0-9A-Fa-f]{2})`;

/** A line of a key at the end of a piece, and what may follow it: signs, or the rest of a line of code. */
const BODY = new RegExp(
  String.raw`(?<![A-Za-z0-9+/=\\])(?:[+/=]|${ESCAPED}){0,9999}([A-Za-z0-9][A-Za-z0-9+/=]*(?:${ESCAPED}[A-Za-z0-9+/=]*){0,9999}|={1,2})` +
    String.raw`(?![A-Za-z0-9+/=]|${ESCAPED})(?:[ -/:-@[-\x60{-~\t]*|["'\x60].{0,40})$`,
);

/**
 * What may precede a line of a key: no letters (diff, quote and comment markers, line numbers), or the start of a
 * string, the name of a log, or a path and line as `grep` prints them.
 */
const PREFIX = /^[ -@[-`{-~\t]*$|(?:["'`]|\S:|(?:\||[:-]\d{1,7}[:-])[ \t]{0,40})$/;

/** Between two strings: `" +`. But not the end of a code block. */
const GLUE = /^\\*(?:["'`](?!`)[ -/:-@[-`{-~\t]*|\s*)$/;

/** The rest of the line that `elide` inserts for omitted text. */
const LEFT_OUT = /^ [\d,]+ \w+ left out$/;

/** Header lines between the first line and the body: “Proc-Type: 4,ENCRYPTED”, “Version: 1”. */
const HEADER = /^[^A-Za-z]{0,40}(?:.{0,255}["'`:|-][ \t]{0,40})?[A-Za-z-]{1,40}: /;

/** Minimum number of body characters for a key. */
const MIN_BODY = 40;

/** A shorter line is the last line of a key, or just a word. */
const FULL_LINE = 16;

/** How much text to look at between two turns. */
const STRIDE = 16_384;

interface Key extends Omit<Secret, 'kind'> {
  /** Number of body characters seen so far. */
  body: number;
  /** Whether the BEGIN or the END line was seen. */
  marked: boolean;
  /** Whether only the end of the key may follow. */
  isEnding: boolean;
}

/**
 * Finds private keys line by line, including keys in a diff, in comments, in strings, or with line numbers, and keys
 * whose start or end was cut off.
 */
export const detectKeys: Detector = async (text, yieldTurn) => {
  const found: Key[] = [];
  let key: Key | undefined;
  let from = 0;
  let turn = 0;
  for (const { 0: end, index } of text.includes('PRIVATE KEY') ? text.matchAll(ENDS) : []) {
    if (index >= turn) {
      turn = index + STRIDE;
      await yieldTurn?.();
    }
    const before = key;
    key = afterPiece(key, text.slice(from, index), from, end);
    from = index + end.length;
    if (end.startsWith('-----BEGIN')) {
      key = { start: index, end: from, body: 0, marked: true, isEnding: false };
    }
    if (key !== undefined && key !== before) {
      found.push(key);
    }
    if (end.startsWith('-----END')) {
      Object.assign(key ?? {}, { end: from, marked: true });
      key = undefined;
    }
  }
  return found
    .filter(({ marked, body }) => marked && body >= MIN_BODY)
    .map(({ start, end }) => ({ kind: 'PrivateKey', start, end }));
};

/** A key may be longer than a slice, and the middle of one looks like any base64 text. */
detectKeys.readsWhole = true;

/**
 * Returns the key that continues in this piece of the text, a new key whose start was cut off, or undefined when the
 * piece is not part of a key.
 */
function afterPiece(key: Key | undefined, piece: string, at: number, next: string): Key | undefined {
  if (piece === '' || (key === undefined && piece.length < FULL_LINE)) {
    return key;
  }
  const match = BODY.exec(piece);
  const [all = '', body = ''] = match ?? [];
  const before = piece.slice(0, match?.index);
  const { length } = body;
  if (length > 0 && PREFIX.test(before)) {
    const start = at + before.length + all.indexOf(body);
    const end = start + length;
    // A PGP key has a checksum after its last line: `=aB3d`.
    if (key !== undefined && (!key.isEnding || (all.startsWith('=') && length <= 4))) {
      return Object.assign(key, { end, body: key.body + length, isEnding: length < FULL_LINE });
    }
    if (length >= FULL_LINE) {
      return { start, end, body: length, marked: false, isEnding: false };
    }
  }
  if (key !== undefined && LEFT_OUT.test(piece)) {
    return Object.assign(key, { isEnding: false });
  }
  const isHead = key?.body === 0 && (PREFIX.test(piece) || HEADER.test(piece));
  const isLast = next.startsWith('-----END') && (key?.marked === true || PREFIX.test(piece));
  return isHead || isLast || GLUE.test(piece) ? key : undefined;
}
