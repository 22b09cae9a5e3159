import { jsonStrings } from './jsonStrings';

/** Text of a template as it stands in a document. */
export interface TemplateSpot {
  readonly text: string;
  /** Where a place in `text`, or its end, stands in the document. */
  readonly offsetOf: (at: number) => number;
}

/** The templates in a file of settings, or of a workspace with settings in it: each line of one is a spot. */
export function spotsInSettings(source: string, setting: string): TemplateSpot[] {
  return [...jsonStrings(source)]
    .filter(({ path }) => {
      const [held, name, ...lines] = path[0] === 'settings' ? path.slice(1) : path;
      return (
        held === setting && name !== undefined && (lines.length === 0 || (lines.length === 1 && lines[0] === undefined))
      );
    })
    .map(({ offset, length }) => spotOf(source, offset, length));
}

/** What a JSON string says, and where each of its UTF-16 units stands (RFC 8259, section 7). */
function spotOf(source: string, offset: number, length: number): TemplateSpot {
  const raw = source.slice(offset + 1, offset + length).replace(/"$/, '');
  const offsets: number[] = [];
  let text = '';
  for (const { 0: unit, index } of raw.matchAll(/\\u[\da-f]{4}|\\[^u]|[^]/gi)) {
    offsets.push(offset + 1 + index);
    text += unit.length === 1 ? unit : decoded(unit);
  }
  const end = offset + 1 + raw.length;
  return { text, offsetOf: (at) => offsets[at] ?? end };
}

function decoded(escape: string): string {
  const letter = escape[1] ?? '';
  return letter === 'u'
    ? String.fromCharCode(Number.parseInt(escape.slice(2), 16))
    : ({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[letter] ?? letter);
}
