import type { Secret } from './secret';

const BEGIN = /-----BEGIN ?(?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/;
const END = /-----END ?(?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/;

/** Prefix of a code line in a prompt: diff or quote markers, and the line number. */
const FORM = /^[ \t>+-]*(?:\d+ \|)?[ \t]*/;

/** The characters of a key's body; in JSON, line breaks are two characters. */
const BODY = /^(?:\\[nr]|[A-Za-z0-9+/=])*/;

/** The line that `elide` inserts for omitted text. */
const LEFT_OUT = /^… [\d,]+ \w+ left out$/;

/** Header lines between the first line and the body: “Proc-Type: 4,ENCRYPTED”, “Version: 1”. */
const HEADER = /^[A-Za-z-]{1,40}: /;

/** Minimum number of body characters for a key. */
const MIN_BODY = 40;

/** A shorter line is the last line of a key, or just a word. */
const FULL_LINE = 16;

interface Key extends Secret {
  /** Number of body characters seen so far. */
  body: number;
  /** Whether the BEGIN or the END line was seen. */
  marked: boolean;
  /** What may follow: more of the key, only its end, or nothing. */
  open: 'yes' | 'end' | 'no';
}

/**
 * Finds private keys line by line, including keys in a diff or with line numbers, and keys whose start or end was cut
 * off.
 */
export function detectKeys(text: string): Secret[] {
  const found: Key[] = [];
  let key: Key | undefined;
  for (const { 0: whole, index: at } of text.matchAll(/[^\n]+/g)) {
    const line = whole.trimEnd();
    const begin = BEGIN.exec(line);
    const before = key;
    key = begin === null ? continueKey(key, line, at) : startKey(line, at, begin);
    if (before !== undefined && before !== key) {
      found.push(before);
    }
  }
  return [...found, ...(key === undefined ? [] : [key])]
    .filter(({ marked, body }) => marked && body >= MIN_BODY)
    .map(({ kind, start, end }) => ({ kind, start, end }));
}

/** Starts a key at the BEGIN marker in this line. In JSON, the whole key may be on the line. */
function startKey(line: string, at: number, { 0: mark, index }: RegExpExecArray): Key {
  const from = index + mark.length;
  const body = BODY.exec(line.slice(from))?.[0].length ?? 0;
  const close = END.exec(line.slice(from + body));
  const closed = close?.index === 0 ? close[0].length : 0;
  const end = at + from + body + closed;
  return { kind: 'PrivateKey', start: at + index, end, body, marked: true, open: closed > 0 ? 'no' : 'yes' };
}

/**
 * Returns the key that continues in this line, a new key whose start was cut off, or undefined when the line is not
 * part of a key.
 */
function continueKey(before: Key | undefined, line: string, at: number): Key | undefined {
  const known = before?.open === 'no' ? undefined : before;
  const close = END.exec(line);
  const whole = close === null ? line : line.slice(0, close.index);
  const inside = whole.slice(FORM.exec(whole)?.[0].length ?? 0);
  const start = at + whole.length - inside.length;
  const isBody = BODY.exec(inside)?.[0].length === inside.length;
  const key = known ?? { kind: 'PrivateKey', start, end: start, body: 0, marked: false, open: 'yes' };
  if (isBody && close !== null) {
    const end = at + close.index + close[0].length;
    return Object.assign(key, { end, body: key.body + inside.length, marked: true, open: 'no' });
  }
  const isLine = inside.length >= FULL_LINE || (known !== undefined && inside !== '');
  if (isBody && isLine && key.open === 'yes') {
    const open = inside.length >= FULL_LINE ? 'yes' : 'end';
    return Object.assign(key, { end: start + inside.length, body: key.body + inside.length, open });
  }
  const isBetween = LEFT_OUT.test(inside) || (key.body === 0 && (inside === '' || HEADER.test(inside)));
  return isBetween && close === null ? known : undefined;
}
