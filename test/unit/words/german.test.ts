import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';
import { codeTranslations, manifestTexts, marksOf, translations } from '../../support/words/translations';

const all = translations('de');

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

  it('are as many as there ought to be', () => {
    ok(all.length > 600);
  });
});

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
