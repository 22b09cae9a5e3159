import { deepStrictEqual, ok } from 'node:assert/strict';
import { englishTexts, germanTexts, type PlacedText, wordsOf } from '../../support/words/allTexts';
import { manifestTexts, translations } from '../../support/words/translations';
import { GLOSSARY } from './glossary';

/** What no text says: words of the code, of protocols, of excuses and of cheer; and signs of the typewriter. */
const JARGON = [
  /\b(outbox|orphan(ed|s)?|snapshots?|payloads?|endpoints?|backoff|poll(s|ed|ing)?|debounced?|schemas?|regex|enum)\b/i,
  /\b(terminal state|race condition|stack trace|null|undefined|boolean|exception)\b/i,
  /\b(invalid|illegal|fatal|abort(ed)?|kill(ed)?|oops|whoops|sorry|unfortunately|please|simply|just (?!now))\b/i,
  /\b(success(ful(ly)?)?|error occurred|something went wrong|unexpected(ly)?|unknown error|e\.g\.|i\.e\.|etc)\b/i,
  /\b(click here|cannot|can't|don't|(?<!be )able to|in order to|utili[sz]e)\b/i,
  /\b[45]\d\d\b(?! [KM]B)/,
  /!|\.\.\.|["']|(?<=\w) - (?=\w)/,
];

/** A stop after the three dots of a command's name reads as a slip: such a name stands elsewhere in its sentence. */
const FOUR_DOTS = /…\**\./;

const GERMAN_JARGON = [
  /\b(bitte|erfolgreich\w*|leider|ups|ungültig\w*|fatal|einfach nur|kein gültig\w*)\b/i,
  /Fehler (ist )?aufgetreten|unerwartet|unbekannter Fehler|abbrechen\b.*fehlgeschlagen/i,
  /\b(Snapshot|Payload|Endpoint|Endpunkt|Outbox|Input|Output|canceln|checken(?! Sie)|triggern|downloaden)\b/i,
  /\b(du|dein\w*|dich|dir)\b/i,
  /\b[45]\d\d\b/,
];

/** What is quoted from elsewhere, or is meant as it stands, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'Document an endpoint': 'an example of a prompt for documentation of an API',
  'A {} is not finished in your checkout. Finish or abort it, then try again.': 'git’s own word for it',
  'It is in the git directory of the job.': 'git’s own word for it',
  'Please work on this comment of the review.': 'said to an agent',
  'Please work on these {} comments of the review.': 'said to an agent',
};

function saying(texts: readonly PlacedText[], patterns: readonly RegExp[]): (readonly [string, string, string])[] {
  return texts
    .filter(({ text }) => !(text in ALLOWED))
    .flatMap(({ place, text }) => {
      const found = patterns.map((pattern) => pattern.exec(wordsOf(text))?.[0]).find((hit) => hit !== undefined);
      return found === undefined ? [] : [[found, place, text] as const];
    });
}

const english = englishTexts();
const german = germanTexts();
const terms = Object.values(GLOSSARY);

describe('the tone of all texts', () => {
  it('knows no jargon, no excuses and no signs of the typewriter', () => {
    ok(english.length > 700);
    deepStrictEqual(saying(english, JARGON), []);
  });

  it('ends no sentence in the three dots of a command and a stop', () => {
    deepStrictEqual(
      [...english, ...german].filter(({ text }) => FOUR_DOTS.test(text)),
      [],
    );
  });

  it('is the same in German', () => {
    ok(german.length > 600);
    deepStrictEqual(saying(german, GERMAN_JARGON), []);
  });

  it('calls each thing by one name', () => {
    const others = (of: 'instead' | 'germanInstead'): RegExp[] =>
      terms.map((term) => term[of]).filter((pattern) => pattern !== undefined);
    deepStrictEqual(saying(english, others('instead')), []);
    deepStrictEqual(saying(german, others('germanInstead')), []);
  });

  it('calls it in German by the glossary’s name, wherever the English text names it', () => {
    const wrong = translations('de').flatMap(({ place, english: text, translated = '' }) =>
      Object.entries(GLOSSARY)
        .filter(([, term]) => translated !== '' && term.english.test(wordsOf(text)) && !term.german.test(translated))
        .map(([name]) => [name, place, text, translated]),
    );
    deepStrictEqual(wrong, []);
  });

  it('writes sentences in sentence case, and titles of commands in title case', () => {
    const names =
      /\b(Docs|Agent|API|GitHub|Git|LFS|Client|Protocol|Escape|Enter|Markdown|Show|Host|Header|JSON|Tab|Copilot|CLI|Mintlify|VS|Code|StoryEvent|JobEvent|Source|Control|Shift)\b/;
    const titled = Object.entries(manifestTexts()).filter(([key]) => key.startsWith('command.'));
    const titles = new Set(titled.map(([, title]) => title));
    const wrong = english.filter(({ text }) => {
      const words = wordsOf(text).replaceAll(/“[^”]*”|\*\*[^*]*\*\*|\[[^\]]*\]|`x`/g, 'x');
      const inside = words.match(/(?<=[a-z0-9,;–] )[A-Z][A-Za-z]+/g) ?? [];
      return !titles.has(text) && inside.some((word) => /[a-z]/.test(word) && !names.test(word));
    });
    deepStrictEqual(wrong, []);
    const small = /^(a|an|and|as|at|by|for|from|in|into|is|of|on|or|the|to|with)$/;
    const low = titled.filter(([, title]) =>
      title.split(/[ -]/).some((word, at) => at > 0 && /^[a-z]/.test(word) && !small.test(word) && word !== 'up…'),
    );
    deepStrictEqual(low, []);
  });
});
