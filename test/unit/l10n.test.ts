import { deepStrictEqual, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COVERAGE_TEXTS, FINDING_TEXTS } from '../../src/checks/describe';
import { SERVICE_TEXTS } from '../../src/protocol/codedText';
import { checkoutRoot } from '../support/vscode/paths';

type Texts = Readonly<Record<string, string>>;

const read = (name: string): string => readFileSync(join(checkoutRoot, name), 'utf8');
const texts = (name: string): Texts => JSON.parse(read(name)) as Texts;

/** All translations by language tag. Each needs the same two files. */
const tags = readdirSync(join(checkoutRoot, 'l10n')).map(
  (name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)?.[1] ?? name,
);
const english = texts('package.nls.json');

/** A call of `vscode.l10n.t` with a string literal. */
const LITERAL_CALL = /\bl10n\.t\(\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")/g;

/** Translates the texts of the local service, whose English is in a table. */
const SERVICE_CALL = join('presentation', 'serviceText.ts');

/** The keys that the extension uses, and the files with calls whose key can’t be read from the source. */
function keysInSource(): { keys: Set<string>; unreadable: string[] } {
  const names = readdirSync(join(checkoutRoot, 'src', 'extension'), { recursive: true, encoding: 'utf8' });
  const keys = new Set<string>();
  const unreadable: string[] = [];
  for (const name of names.filter((each) => /\.tsx?$/.test(each))) {
    const source = read(join('src', 'extension', name));
    const calls = [...source.matchAll(LITERAL_CALL)];
    calls.forEach(([, literal = '']) => keys.add(unquote(literal)));
    if (name !== SERVICE_CALL && calls.length !== (source.match(/\bl10n\.t\b/g) ?? []).length) {
      unreadable.push(name);
    }
  }
  return { keys, unreadable };
}

function unquote(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(u\{?[\da-f]+\}?|.)/gi, (_, escape: string) => {
    const code = /^u\{?([\da-f]+)/i.exec(escape)?.[1];
    return code === undefined ? (escape === 'n' ? '\n' : escape) : String.fromCodePoint(Number.parseInt(code, 16));
  });
}

/** What a translation must preserve: placeholders, icons, and the targets of command links. */
function marks(text: string): string {
  return (text.match(/\{\w+\}|\$\([\w~-]+\)|\(command:[^)]*\)/g) ?? []).toSorted().join(' ');
}

describe('translations', () => {
  const used = keysInSource();
  const manifestKeys = new Set([...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));

  it('can be found in the code', () => {
    ok(used.keys.size > 300);
    deepStrictEqual(used.unreadable, [], 'call vscode.l10n.t with a literal');
    deepStrictEqual(Object.keys(english).toSorted(), [...manifestKeys].toSorted());
  });

  for (const tag of tags) {
    const bundle = texts(`l10n/bundle.l10n.${tag}.json`);
    const manifest = texts(`package.nls.${tag}.json`);

    it(`exist in ${tag} for exactly the texts of the code`, () => {
      const translated = Object.keys(bundle).filter((key) => !key.endsWith('/service'));
      deepStrictEqual(translated.toSorted(), [...used.keys].toSorted());
    });

    it(`exist in ${tag} for exactly the texts of the local service and the check`, () => {
      const translated = Object.keys(bundle).filter((key) => key.endsWith('/service'));
      const keys = Object.values({ ...SERVICE_TEXTS, ...FINDING_TEXTS, ...COVERAGE_TEXTS }).map(
        (text) => `${text}/service`,
      );
      deepStrictEqual(translated.toSorted(), keys.toSorted());
    });

    it(`exist in ${tag} for exactly the texts of the manifest`, () => {
      deepStrictEqual(Object.keys(manifest).toSorted(), [...manifestKeys].toSorted());
    });

    it(`keep the placeholders, icons and command links in ${tag}`, () => {
      const pairs = [
        ...Object.entries(bundle),
        ...Object.entries(english).map(([key, text]) => [text, manifest[key] ?? ''] as const),
      ];
      deepStrictEqual(
        pairs.filter(([text, translated]) => marks(text) !== marks(translated)),
        [],
      );
    });
  }
});
