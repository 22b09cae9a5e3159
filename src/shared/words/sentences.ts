import { fill } from './fill';

/** What another language has for each English sentence, in which `{0}`, `{1}` … stand for what is put in. */
export type Sentences = Readonly<Record<string, string>>;

/** Ends the key of each sentence of the local service among the texts of a language. */
const OF_SERVICE = '/service';

/** The sentences of the local service among the texts of a language. */
export function serviceSentences(texts: Sentences): Sentences {
  const ours = Object.entries(texts).filter(([key]) => key.endsWith(OF_SERVICE));
  return Object.fromEntries(ours.map(([key, text]) => [key.slice(0, -OF_SERVICE.length), text]));
}

interface Pattern {
  /** What is fixed, before, between and after the values. */
  pieces: readonly string[];
  translated: string;
}

/** A sentence may hold others, which are not looked for in others again and again. */
const MAX_DEPTH = 3;

/**
 * Translates sentences that a service made, without a name for each: they are kept and sent in English, and whoever shows
 * them reads them back. What isn’t known stays as it is. It takes a time that grows with the length of the text and not
 * faster, because services quote what others wrote.
 */
export function sentenceTranslator(sentences: Sentences): (text: string) => string {
  const patterns = Object.entries(sentences)
    .map(([english, translated]): Pattern => ({ pieces: english.split(/\{\d\}/), translated }))
    // What fixes most of a text fits it best.
    .toSorted((one, other) => weightOf(other) - weightOf(one));
  const translate = (text: string, depth: number): string => {
    for (const { pieces, translated } of depth > MAX_DEPTH ? [] : patterns) {
      const values = valuesOf(text, pieces);
      if (values !== undefined) {
        return fill(
          translated,
          values.map((value) => translate(value, depth + 1)),
        );
      }
    }
    return text;
  };
  return (text) => translate(text, 0);
}

function weightOf({ pieces }: Pattern): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** What stands between the pieces; undefined where they are not all of the text, in their order. */
function valuesOf(text: string, pieces: readonly string[]): string[] | undefined {
  const [first = '', ...others] = pieces;
  const last = others.at(-1);
  if (last === undefined) {
    return text === first ? [] : undefined;
  }
  if (!text.startsWith(first)) {
    return undefined;
  }
  const values: string[] = [];
  let at = first.length;
  for (const [index, piece] of others.entries()) {
    const found = index < others.length - 1 ? text.indexOf(piece, at) : text.length - last.length;
    if (found < at || !text.startsWith(piece, found)) {
      return undefined;
    }
    values.push(text.slice(at, found));
    at = found + piece.length;
  }
  return values;
}
