import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commitMessage } from '../../../../src/local-service/git/publishBranch';

describe('commitMessage', () => {
  it('consists of the prompt and the trailer for a short one-line prompt', () => {
    assert.equal(commitMessage(' Document retries \n', 'j1'), 'Document retries\n\nDocs-Agent-Job: j1\n');
  });

  it('contains the first 20 lines of a long prompt, up to 200 characters each, and counts the rest', () => {
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

  it('keeps a multi-line prompt whole below its first line', () => {
    assert.equal(commitMessage('One\nTwo\n\nThree', 'j1'), 'One\n\nOne\nTwo\n\nThree\n\nDocs-Agent-Job: j1\n');
  });

  it('truncates a long first line to 72 characters without splitting one', () => {
    const [subject = '', , body] = commitMessage('🗼'.repeat(100), 'j1').split('\n');
    assert.equal(Array.from(subject).length, 72);
    assert.ok(subject.endsWith('🗼…'));
    assert.equal(body, '🗼'.repeat(100));
  });

  it('contains the agent’s summary, which can’t close issues, mention people or forge trailers', () => {
    const summary = 'Done.\nFixes #12, thanks @robin\nSigned-off-by: Robin\nDocs-Agent-Job: j2\n';
    const said = 'Done.\nFixes #\u206012, thanks @\u2060robin\n> Signed-off-by: Robin\n> Docs-Agent-Job: j2';
    assert.equal(commitMessage('Document', 'j1', summary), `Document\n\n${said}\n\nDocs-Agent-Job: j1\n`);
  });

  it('has a first line and ends with the trailer for any prompt', () => {
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
