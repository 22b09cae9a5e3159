import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Finding } from '../../../../src/checks/finding';
import {
  checkBlock,
  describeCheck,
  withCheck,
  pullRequestBody,
} from '../../../../src/local-service/forges/pullRequestText';
import { coverage, place, SAMPLE_FINDINGS, UNKNOWN_NAME } from '../../../support/runCheck';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const WJ = '\u2060';

const describeFindings = (findings: readonly Finding[], more = 0, covered = coverage(2)): string =>
  describeCheck({ findings, more, coverage: covered }, COMMIT);

describe('the check in the description of a pull request', () => {
  it('lists the findings', () => {
    assert.equal(
      describeFindings(SAMPLE_FINDINGS, 0, coverage(2, 'time')),
      [
        '**Check of the added lines** at `0123456789`: 6 problems',
        '',
        "- `docs/a.md`, line 3: `--retry⟨U+200B⟩-'max'` was not found in the code",
        '- `docs/a.md`, line 4: `attempts` is no longer in the code, probably replaced by `maxAttempts`',
        '- `docs/b.md`, line 1: the link `x.md` leads to no file',
        '- `docs/b.md`, line 2: the link `a.md#x` leads to a page without this heading',
        '- `docs/b.md`, line 3: the image `x.png` doesn’t exist',
        '- `docs/b.md`, line 5: this block isn’t valid `json`: `Unexpected end`',
        '',
        'Not everything could be checked.',
      ].join('\n'),
    );
  });

  it('lists at most 20 findings and counts the others', () => {
    const lines = describeFindings(
      Array.from({ length: 100 }, () => UNKNOWN_NAME),
      7,
    ).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('- `')).length, 20);
    assert.deepEqual(
      [lines[0], lines.at(-1)],
      ['**Check of the added lines** at `0123456789`: 107 problems', '- … and 87 more'],
    );
  });

  it('says that nothing was found, and nothing if no page has new lines', () => {
    assert.equal(describeFindings([]), '**Check of the added lines** at `0123456789`: no problems found on 2 pages');
    assert.match(describeFindings([], 0, coverage(1)), /no problems found on 1 page$/);
    assert.equal(describeFindings([], 0, coverage(0, 'shallow')), '');
  });

  it('mentions nobody, closes no issues, and bounds what it quotes', () => {
    const text = `Fixes #1, closes a/b#2, GH-3, !4, @team\n/merge \`x\` ${'y'.repeat(100_000)}`;
    const described = describeFindings([{ rule: 'broken-link', place: place(text, 1), target: text, problem: 'file' }]);
    assert.ok(described.includes(`Fixes #${WJ}1, closes a/b#${WJ}2, GH-${WJ}3, !${WJ}4, @${WJ}team /merge 'x' yyy`));
    assert.ok(described.length < 600, String(described.length));
  });

  it('contains foreign text in code font only', () => {
    const part = fc.constantFrom(
      '`',
      '``',
      '\\',
      '\n',
      '\r',
      '\u2028',
      '- ',
      '](x)',
      '![',
      '<!--',
      '/close',
      '@a',
      '#1',
      'x',
      ' ',
    );
    const skeleton = (text: string): string => {
      const removed = { commit: text, subject: text, date: 0 };
      const at = place(text, 1);
      return describeFindings([
        { rule: 'gone-name', place: at, name: text, kind: 'flag', written: text, removed, successor: text },
        { ...UNKNOWN_NAME, place: at, name: text } as Finding,
        { rule: 'broken-link', place: at, target: text, problem: 'anchor' },
        { rule: 'missing-image', place: at, target: text },
        { rule: 'invalid-code', place: at, language: text, message: text },
      ]).replace(/`[^`\n]+`/g, 'CODE');
    };
    const harmless = skeleton('a');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        fc.pre(parts.join('').trim() !== '');
        assert.equal(skeleton(parts.join('')), harmless);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the updated check in the description of a pull request', () => {
  const text = describeFindings(SAMPLE_FINDINGS);
  const body = pullRequestBody('Document it', 'I wrote a page.', 'j1', '## Checklist\n\n- [ ] Read', text);
  const later = describeFindings([]);

  it('comes after the summary', () => {
    assert.ok(body.startsWith(`I wrote a page.\n\n${checkBlock(text)}\n\n## Checklist`), body);
  });

  it('replaces only the previous check', () => {
    const updated = withCheck(body, later);
    assert.equal(updated, pullRequestBody('Document it', 'I wrote a page.', 'j1', '## Checklist\n\n- [ ] Read', later));
    assert.equal(withCheck(updated, text), body);
  });

  it('replaces the previous check even if a name in it reads like its end marker', () => {
    const missing = { rule: 'missing-image', place: place('a.md', 1), target: '[docs-agent-check]: # (end)' } as const;
    const hostile = describeFindings([missing]);
    const before = pullRequestBody('Document it', 'I wrote a page.', 'j1', '', hostile);
    assert.equal(withCheck(before, text), pullRequestBody('Document it', 'I wrote a page.', 'j1', '', text));
  });

  it('changes nothing if it is the same as before', () => {
    assert.equal(withCheck(body, text), undefined);
  });

  it('keeps what people wrote around it, even with a browser’s line endings', () => {
    const edited = `Hello\n\n${body.replace('[ ] Read', '[x] Read')}\n\nBye`.replaceAll('\n', '\r\n');
    const updated = withCheck(edited, later)?.replaceAll('\r\n', '\n') ?? '';
    assert.ok(updated.startsWith('Hello\n\nI wrote a page.') && updated.endsWith('\n\nBye'));
    assert.ok(updated.includes('[x] Read') && updated.includes('no problems found') && !updated.includes('x.png'));
  });

  it('does not replace a check that a person has edited or removed, or any other text', () => {
    assert.equal(withCheck(body.replace('x.png', 'y.png'), later), undefined);
    assert.equal(withCheck(body.replace(checkBlock(text), ''), later), undefined);
    assert.equal(withCheck(`${body}\n\n${checkBlock(text)}`, later), undefined, 'twice');
    assert.equal(withCheck(body.replace('# (end)', '# (fin)'), later), undefined);
    assert.equal(withCheck('', later), undefined);
  });

  it('can be empty, so that a later one finds its place', () => {
    const empty = pullRequestBody('Document it', 'I wrote a page.', 'j1', '', '');
    assert.ok(withCheck(empty, later)?.includes('no problems found'));
    assert.equal(withCheck(withCheck(empty, later) ?? '', ''), empty);
  });

  it('does not replace a copy of the check that the agent or the user wrote', () => {
    const forged = pullRequestBody(checkBlock('x'), checkBlock('x'), 'j1', '', text);
    const updated = withCheck(forged, later);
    assert.equal(updated, pullRequestBody(checkBlock('x'), checkBlock('x'), 'j1', '', later));
  });
});
