import type { Secret } from './secret';

const BEGIN = /-----BEGIN ?(?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/;
const END = /-----END ?(?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/;

/** What stands before a line of code in a prompt: the mark of a diff or a quotation, the number of the line. */
const FORM = /^[ \t>+-]*(?:\d+ \|)?[ \t]*/;

/** A key's own characters; in a JSON text its line ends are two characters. */
const BODY = /^(?:\\[nr]|[A-Za-z0-9+/=])*/;

/** The line that stands for others, as `elide` makes it. */
const LEFT_OUT = /^… [\d,]+ \w+ left out$/;

/** Between the first line and the key: “Proc-Type: 4,ENCRYPTED”, “Version: 1”. */
const HEADER = /^[A-Za-z-]{1,40}: /;

/** Less of a key is none. */
const MIN_BODY = 40;

/** A shorter line is a key's last one, or a word. */
const FULL_LINE = 16;

interface Key extends Secret {
  /** How many of its characters were seen. */
  body: number;
  /** Whether one of its two marks was seen. */
  marked: boolean;
  /** What may follow: more of it, no more than its end, or nothing. */
  open: 'yes' | 'end' | 'no';
}

/**
 * Private keys line by line: also such as stand in a diff or between numbers of lines, and such as miss their end or their
 * beginning because a text was cut there.
 */
export function detectKeys(text: string): Secret[] {
  const found: Key[] = [];
  let key: Key | undefined;
  for (const { 0: whole, index: at } of text.matchAll(/[^\n]+/g)) {
    const line = whole.trimEnd();
    const begin = BEGIN.exec(line);
    const before = key;
    key = begin === null ? goOn(key, line, at) : beginAt(line, at, begin);
    if (before !== undefined && before !== key) {
      found.push(before);
    }
  }
  return [...found, ...(key === undefined ? [] : [key])]
    .filter(({ marked, body }) => marked && body >= MIN_BODY)
    .map(({ kind, start, end }) => ({ kind, start, end }));
}

/** A key whose first mark stands in this line, and maybe all of it as in a JSON text. */
function beginAt(line: string, at: number, { 0: mark, index }: RegExpExecArray): Key {
  const from = index + mark.length;
  const body = BODY.exec(line.slice(from))?.[0].length ?? 0;
  const close = END.exec(line.slice(from + body));
  const closed = close?.index === 0 ? close[0].length : 0;
  const end = at + from + body + closed;
  return { kind: 'PrivateKey', start: at + index, end, body, marked: true, open: closed > 0 ? 'no' : 'yes' };
}

/** The key, which this line may belong to, a new one that begins in its middle, or undefined when it is part of none. */
function goOn(before: Key | undefined, line: string, at: number): Key | undefined {
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
