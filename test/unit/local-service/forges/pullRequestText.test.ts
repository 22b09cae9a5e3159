import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  pullRequestBody,
  pullRequestTitle,
  checkBlock,
  describeCheck,
  withCheck,
} from '../../../../src/local-service/forges/pullRequestText';
import type { Finding } from '../../../../src/checks/finding';
import {
  brokenLink,
  coverage,
  findingsWith,
  goneName,
  missingImage,
  place,
  SAMPLE_FINDINGS,
  unknownName,
} from '../../../support/findings';

const WJ = '\u2060';

describe('pull request text', () => {
  it('uses the first line of the prompt as the title', () => {
    assert.equal(pullRequestTitle('  Document retries \nand limits'), 'Document retries');
    assert.equal(pullRequestTitle('\u0000\u202e'), 'Documentation');
    assert.equal(pullRequestTitle('Fix #12 for @robin'), `Fix #${WJ}12 for @${WJ}robin`);
    assert.equal(Array.from(pullRequestTitle('x'.repeat(500))).length, 100);
  });

  it('contains the agent’s summary, the prompt and the job in the body', () => {
    assert.equal(
      pullRequestBody('Document retries\n\nand limits', 'I wrote a page.', 'j1'),
      'I wrote a page.\n\nThe prompt was:\n\n> Document retries\n>\n> and limits\n\n---\n\nDocs-Agent-Job: j1',
    );
    assert.equal(
      pullRequestBody('x', 'Done.', 'j1', '## Checklist <!-- a -->\n```\nopen'),
      'Done.\n\n## Checklist <!-- a -->\n```\nopen\n```\n\nThe prompt was:\n\n> x\n\n---\n\nDocs-Agent-Job: j1',
    );
    assert.match(
      pullRequestBody('x', 'Done.', 'j1', '', undefined, 'https://h/a/b/pull/12'),
      /^Continues \[#12\]\(https:\/\/h\/a\/b\/pull\/12\)\.\n\nDone\.\n/,
    );
    assert.match(
      pullRequestBody('x', 'Done.', 'j1', '', undefined, 'https://h/a/b/-/merge_requests/3'),
      /^Continues \[!3\]/,
    );
    assert.match(pullRequestBody('x', 'Done.', 'j1', '', undefined, 'https://h/a/b/compare/x?expand=1'), /^Done\./);
    assert.equal(pullRequestBody('x', ' ', 'j1'), 'The prompt was:\n\n> x\n\n---\n\nDocs-Agent-Job: j1');
  });

  const said = (summary: string): string => pullRequestBody('x', summary, 'j1').split('\n\nThe prompt was:')[0] ?? '';

  it('mentions nobody and closes no issues', () => {
    assert.equal(said('cc @team/docs'), `cc @${WJ}team/docs`);
    assert.equal(said('cc @{557058:a}'), `cc @${WJ}{557058:a}`);
    assert.equal(said('&commat;a Fixes &num;2 &#x23;3'), '&amp;commat;a Fixes &amp;num;2 &amp;#x23;3');
    assert.equal(
      said('Fixes #1, closes a/b#2, resolves GH-3, !4'),
      `Fixes #${WJ}1, closes a/b#${WJ}2, resolves GH-${WJ}3, !${WJ}4`,
    );
    assert.equal(said('Fixes https://github.com/a/b/issues/5'), `Fixes https://github.com/a/b/issues/${WJ}5`);
    assert.equal(said('ok\n/merge\n> /close now'), 'ok\n\\/merge\n> \\/close now');
  });

  it('leaves headings, links and code unchanged', () => {
    const text = '## Done\n\n- [page](docs/a.md?a=1&b=2#limits) & more;\n- `npm test`\n\n```ts\nconst a = 1;\n```';
    assert.equal(said(text), text);
  });

  it('escapes images and HTML', () => {
    assert.equal(
      said('![x](https://evil.example/p.png) <img src=x> <!-- hidden'),
      '!\\[x](https://evil.example/p.png) &lt;img src=x> &lt;!-- hidden',
    );
  });

  it('contains no invisible characters', () => {
    const tags = Array.from('run', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    assert.equal(pullRequestTitle(`Fix${tags} the\u3164 docs`), 'Fix the docs');
    const body = pullRequestBody(`Fix${tags}\u2028the docs 👩‍👧`, `Done${tags}\ufe01 👩‍👧`, 'j1');
    assert.equal(body, 'Done 👩‍👧\n\nThe prompt was:\n\n> Fix\n> the docs 👩‍👧\n\n---\n\nDocs-Agent-Job: j1');
  });

  it('closes a code fence that was left open', () => {
    assert.equal(said('```js\nlet a;'), '```js\nlet a;\n```');
    assert.equal(said('~~~~\n```\n~~~'), '~~~~\n```\n~~~\n~~~~');
    assert.equal(said('```\n``` not the end\n````'), '```\n``` not the end\n````');
  });

  it('ends with the job for any prompt and summary', () => {
    const text = fc.string({
      unit: fc.constantFrom('`', '~', '\n', ' ', '<', '!--', '@', '#1', 'a', '\u001b', '\u202e'),
    });
    fc.assert(
      fc.property(text, text, (prompt, summary) => {
        const body = pullRequestBody(prompt, summary, 'j1');
        assert.ok(body.endsWith('\n\n---\n\nDocs-Agent-Job: j1'));
        assert.doesNotMatch(body, /[^\P{Cc}\n\t]|[\u202a-\u202e]|@[a-z]|#\d|</u);
        assert.notEqual(pullRequestTitle(prompt), '');
      }),
    );
  });
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

const describeFindings = (findings: readonly Finding[], more = 0, covered = coverage(2)): string =>
  describeCheck({ findings, more, coverage: covered }, COMMIT);

describe('the check in the description of a pull request', () => {
  it('lists the findings', () => {
    assert.equal(
      describeFindings([unknownName(), goneName()], 0, coverage(2, 'time')),
      [
        '**Check of the added lines** at `0123456789`: 2 problems',
        '',
        "- `docs/a.md`, line 3: `--retry⟨U+200B⟩-'max'` was not found in the code.",
        '- `docs/a.md`, line 4: `attempts` is no longer in the code. Probably replaced by `maxAttempts`. Removed in `0123456789` (`Rename the retry options`).',
        '',
        'Not everything could be checked.',
      ].join('\n'),
    );
  });

  it('lists at most 20 findings and counts the others', () => {
    const lines = describeFindings(
      Array.from({ length: 100 }, () => unknownName()),
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
    const described = describeFindings([brokenLink({ place: place(text, 1), target: text })]);
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
    const skeleton = (text: string): string => describeFindings(findingsWith(text)).replace(/`[^`\n]+`/g, 'CODE');
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
    const missing = missingImage({ target: '[docs-agent-check]: # (end)' });
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
