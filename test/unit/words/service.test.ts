import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import texts from '../../../l10n/bundle.l10n.de.json';
import { sentenceTranslator, serviceSentences } from '../../../src/shared/words/sentences';
import words from '../../../src/service/review/pageWords.de.json';
import { pageTexts, sourcesOf } from '../../support/words/codeTexts';
import { serviceTexts } from '../../support/words/serviceTexts';
import { marksOf } from '../../support/words/translations';
import { checkoutRoot } from '../../support/vscode/paths';

const sentences = serviceSentences(texts);
const german = sentenceTranslator(sentences);

/** What the service says to programs and to agents, and on its command line. */
const NOT_FOR_PEOPLE =
  /src\/service\/(http\/(?!review)|readServiceInput|usage|commandLine|claimDataFolder|serve\.|main|ownKey|store\/openDatabase|agents\/(turnPrompt|agentMessages)|runner\/guidance|review\/commentsMessage|review\/page\/)/;

/** As the table has it: with numbers for what is put in. */
function numbered(text: string): string {
  let at = 0;
  return text.replaceAll('{}', () => `{${at++}}`);
}

describe('the local service in German', () => {
  it('has every text of its page, with the same placeholders, and none beyond', () => {
    const found = pageTexts();
    for (const part of ['page', 'script'] as const) {
      const { texts, unreadable } = found[part];
      const translated: Readonly<Record<string, string>> = words[part];
      deepStrictEqual(unreadable, []);
      deepStrictEqual([...new Set(texts.map(({ key }) => key))].toSorted(), Object.keys(translated).toSorted());
      deepStrictEqual(
        Object.entries(translated).filter(([english, text]) => marksOf(english).join() !== marksOf(text).join()),
        [],
      );
    }
  });

  it('has every sentence that reaches people', () => {
    const samples = serviceTexts().filter(({ place }) => !NOT_FOR_PEOPLE.test(place));
    ok(samples.length > 100);
    const missing = samples
      .map(({ text, place }) => ({ place, text: numbered(text) }))
      .filter(({ text }) => german(text) === text && !isOfPage(text));
    deepStrictEqual(missing, []);
  });

  it('has no sentence that the service does not say', () => {
    const sources = sourcesOf(join(checkoutRoot, 'src', 'service'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const pieces = Object.keys(sentences).flatMap((english) => english.split(/\{\d\}/));
    const unsaid = pieces.filter((piece) => piece.trim().length > 12 && !sources.includes(piece));
    deepStrictEqual(unsaid, []);
  });

  it('keeps what is put in, also a sentence in a sentence', () => {
    strictEqual(
      german('Your branch “main” has changed since this page was opened. Reload the page and look again.'),
      'Ihr Branch „main“ hat sich geändert, seit diese Seite geöffnet wurde. Laden Sie die Seite neu und sehen Sie noch einmal hin.',
    );
    strictEqual(
      german(
        'The branch docs-agent/j1 is on git.example, but no pull request was opened. There is no token for it. Run “Docs Agent: Connect Code Host…”, then send a follow-up.',
      ),
      'Der Branch docs-agent/j1 ist auf git.example, aber es wurde kein Pull Request geöffnet. Dafür gibt es kein Token. Führen Sie „Docs Agent: Codeplattform verbinden…“ aus, und senden Sie dann einen Nachtrag.',
    );
    strictEqual(
      german('The agent did not end within 15 minutes and was stopped. Send a follow-up to let it go on.'),
      'Der Agent war nicht innerhalb von 15 Minuten fertig und wurde angehalten. Senden Sie einen Nachtrag, damit er weitermacht.',
    );
  });

  it('leaves what it does not know as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const known = Object.keys(sentences).some((english) =>
          english.split(/\{\d\}/).every((piece) => text.includes(piece)),
        );
        fc.pre(!known);
        return german(text) === text;
      }),
    );
  });

  it('puts any value into any sentence, unchanged where it says nothing itself', () => {
    const value = fc.stringMatching(/^[a-z0-9/-]{1,12}$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(sentences)),
        fc.array(value, { minLength: 9, maxLength: 9 }),
        ([english, text], values) => {
          const put = (into: string): string =>
            into.replaceAll(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');
          strictEqual(german(put(english)), put(text));
        },
      ),
    );
  });
});

function isOfPage(text: string): boolean {
  return text in words.page;
}
