import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';
import { codeTexts } from '../../support/words/codeTexts';
import { kindOf } from '../../support/words/textKinds';
import { codeTranslations, manifestTexts, marksOf, translations } from '../../support/words/translations';

const all = translations('de');

/** The same in both languages. */
const SAME = [
  'Agent',
  'Branch',
  'Docs Agent',
  'Docs Agent: {0}',
  'ID',
  'In {0}',
  'OK',
  'POST {0}',
  'Plan',
  'Prompt',
  'Prompts',
  'Repository',
];

/** How many characters there is room for, without what is put in: on a button, in a menu, in a narrow side bar. */
const LIMITS = { button: 32, command: 50, title: 70, label: 60, status: 70, row: 50, other: Infinity } as const;

/** Command titles by their key, without the sign that a box follows. */
const titles = Object.entries(manifestTexts()).filter(([key]) => key.startsWith('command.'));
const plain = (title: string): string => title.replace(/…$/, '');

describe('the German texts', () => {
  it('are read by the editor: the manifest names their folder', () => {
    const { l10n } = JSON.parse(readFileSync(join(checkoutRoot, 'package.json'), 'utf8')) as { l10n?: string };
    deepStrictEqual(l10n, './l10n');
  });

  it('keep placeholders, icons, links, names and marks', () => {
    const changed = all.filter(
      ({ english, translated }) =>
        translated !== undefined && marksOf(english).join('\n') !== marksOf(translated).join('\n'),
    );
    deepStrictEqual(changed, []);
  });

  it('begin large or small, and end, as the English ones do', () => {
    const shape = (text: string): string => `${/^\s*/.exec(text)?.[0] ?? ''}…${/[.?:…]?\s*$/.exec(text)?.[0] ?? ''}`;
    const changed = all.filter(
      ({ english, translated }) => translated !== undefined && shape(english) !== shape(translated),
    );
    deepStrictEqual(changed, []);
  });

  it('call each command by its German title', () => {
    const german = manifestTexts('de');
    const wrong = all.flatMap(({ place, english, translated }) =>
      titles
        .filter(([key, title]) => {
          const named = english.includes(`“${plain(title)}”`);
          return named && translated?.includes(`„${plain(german[key] ?? '')}“`) === false;
        })
        .map(([key]) => ({ place, translated, title: german[key] })),
    );
    deepStrictEqual(wrong, []);
  });

  it('stand in German quotation marks and apostrophes', () => {
    const wrong = [...Object.values(codeTranslations('de')), ...Object.values(manifestTexts('de'))].filter((text) => {
      const words = text.replaceAll(/`[^`]*`|\(command:[^)]*\)/g, '');
      return /["'”]|\.\.\.|!/.test(words) || /[“‘](?=\w)/.test(words) || count(words, '„') !== count(words, '“');
    });
    deepStrictEqual(wrong, []);
  });

  it('are there for every English text, and for nothing else', () => {
    ok(all.length > 900);
    deepStrictEqual(
      all.filter(({ translated }) => translated === undefined),
      [],
    );
    const wanted = new Set(all.map(({ key }) => key));
    const given = [...Object.keys(codeTranslations('de')), ...Object.keys(manifestTexts('de'))];
    deepStrictEqual(
      given.filter((key) => !wanted.has(key) && !key.endsWith('/service')),
      [],
    );
  });

  it('stand in the files once each', () => {
    for (const name of ['package.nls.json', 'package.nls.de.json', join('l10n', 'bundle.l10n.de.json')]) {
      const text = readFileSync(join(checkoutRoot, name), 'utf8');
      const keys = [...text.matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)].map(([, key]) => key);
      deepStrictEqual(keys.length, Object.keys(JSON.parse(text) as object).length, name);
    }
  });

  it('are translated, except names and words that German has taken over', () => {
    const same = all.filter(({ english, translated }) => english === translated && /[a-z]{2}/i.test(english));
    deepStrictEqual([...new Set(same.map(({ english }) => english))].toSorted(), SAME.toSorted());
  });

  it('have room where they are shown', () => {
    const kinds = new Map(codeTexts().texts.map((text) => [text.key, kindOf(text)]));
    const long = all.flatMap(({ key, english, translated = '' }) => {
      const kind = key.startsWith('command.') ? 'command' : (kinds.get(key) ?? 'other');
      return [english, translated]
        .filter((text) => text.replaceAll(/\{\d\}|\$\([\w-]+\)/g, '').length > LIMITS[kind])
        .map((text) => [kind, text.length, text]);
    });
    deepStrictEqual(long, []);
    ok([...kinds.values()].filter((kind) => kind === 'button').length > 30);
  });
});

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
