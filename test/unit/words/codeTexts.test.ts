import { deepStrictEqual, ok } from 'node:assert/strict';
import ts from 'typescript';
import { type CodeTexts, codeTexts, readTexts } from '../../support/words/codeTexts';

function read(code: string): CodeTexts {
  const found: CodeTexts = { texts: [], unreadable: [] };
  readTexts(ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true), found);
  return found;
}

describe('the texts of the code', () => {
  it('are found in each way of asking for one', () => {
    const { texts, unreadable } = read(`
      const { t } = vscode.l10n;
      vscode.l10n.t('one');
      l10n.t('two {0}', x);
      show(ready ? t('three') : toNotice(t("four"), 100));
      t({ message: 'five', comment: ['said of a file'] });
      t({ message: 'six', comment: 'said of a day' });
    `);
    deepStrictEqual(
      texts.map(({ key }) => key),
      ['one', 'two {0}', 'three', 'four', 'five/said of a file', 'six/said of a day'],
    );
    deepStrictEqual(
      texts.map(({ handedTo }) => handedTo),
      ['', '', 'show', 'show', '', ''],
    );
    deepStrictEqual(unreadable, []);
  });

  it('are reported where no translator could see them', () => {
    const { texts, unreadable } = read(`
      t(name);
      t('one' + two);
      t(\`three \${four}\`);
      t(ready ? 'five' : 'six');
      names.map(t);
      vscode.l10n.t({ message: name });
    `);
    deepStrictEqual(texts, []);
    deepStrictEqual(
      unreadable.map((each) => each.split(' ')[0]),
      [2, 3, 4, 5, 6, 7].map((line) => `x.ts:${line}`),
    );
  });

  it('are no other function or property of that name', () => {
    const { texts, unreadable } = read(`const signs = { t: '\\t' }; signs.t; words.t('no');`);
    deepStrictEqual([texts, unreadable], [[], []]);
  });

  it('are all written out in the calls', () => {
    const { texts, unreadable } = codeTexts();
    ok(texts.length > 500);
    deepStrictEqual(unreadable, []);
  });
});
