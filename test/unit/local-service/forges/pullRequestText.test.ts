import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pullRequestBody, pullRequestTitle } from '../../../../src/local-service/forges/pullRequestText';

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
