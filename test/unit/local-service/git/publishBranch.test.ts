import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commitMessage } from '../../../../src/local-service/git/publishBranch';

describe('commitMessage', () => {
  it('is the line itself and the trailer for a prompt of one short line', () => {
    assert.equal(commitMessage(' Document retries \n', 'j1'), 'Document retries\n\nDocs-Agent-Job: j1\n');
  });

  it('holds the first 20 lines of a long prompt, each of at most 200 characters, and says how many there were', () => {
    const prompt = ['Document', ...Array.from({ length: 5_001 }, (_, line) => `${line} ${'x'.repeat(500)}`)].join('\n');
    const message = commitMessage(prompt, 'j1');
    const [subject, , ...body] = message.split('\n');
    assert.equal(subject, 'Document');
    assert.deepEqual(body.slice(21), ['', 'Docs-Agent-Job: j1', '']);
    assert.equal(body[20], '… 4,982 more lines');
    assert.ok(body.slice(0, 20).every((line) => Array.from(line).length <= 200));
    assert.ok(message.length < 6_000, `${message.length} characters`);
    assert.equal(commitMessage('x\n'.repeat(21).trim(), 'j1').split('\n')[22], '… 1 more line');
  });

  it('keeps a longer prompt whole below its first line', () => {
    assert.equal(commitMessage('One\nTwo\n\nThree', 'j1'), 'One\n\nOne\nTwo\n\nThree\n\nDocs-Agent-Job: j1\n');
  });

  it('cuts a long first line at 72 characters, not inside one', () => {
    const [subject = '', , body] = commitMessage('🗼'.repeat(100), 'j1').split('\n');
    assert.equal(Array.from(subject).length, 72);
    assert.ok(subject.endsWith('🗼…'));
    assert.equal(body, '🗼'.repeat(100));
  });

  it('holds what the agent says, in which nothing closes an issue, calls a person or signs in their name', () => {
    const summary = 'Done.\nFixes #12, thanks @robin\nSigned-off-by: Robin\nDocs-Agent-Job: j2\n';
    const said = 'Done.\nFixes #\u206012, thanks @\u2060robin\n> Signed-off-by: Robin\n> Docs-Agent-Job: j2';
    assert.equal(commitMessage('Document', 'j1', summary), `Document\n\n${said}\n\nDocs-Agent-Job: j1\n`);
  });

  it('has a first line and ends with the trailer whatever the prompt is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (prompt, summary) => {
        const message = commitMessage(prompt, 'j1', summary);
        assert.notEqual(message.split('\n')[0], '');
        assert.ok(message.endsWith('\n\nDocs-Agent-Job: j1\n'));
        assert.ok(!message.includes('\0'));
      }),
      { seed: 7 },
    );
  });
});
