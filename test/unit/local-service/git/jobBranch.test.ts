import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commitMessage, squashMessage } from '../../../../src/local-service/git/jobBranch';
import { newBranchNames } from '../../../../src/local-service/git/userRepository';

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
    assert.equal(body[20], '… 4,981 more lines');
    assert.ok(body.slice(0, 20).every((line) => Array.from(line).length <= 200));
    assert.ok(message.length < 6_000, `${message.length} characters`);
    assert.equal(commitMessage('x\n'.repeat(22).trim(), 'j1').split('\n')[22], '… 1 more line');
  });

  it('has the other lines of a prompt below its first line, and the first one again only if that was cut', () => {
    assert.equal(commitMessage('One\nTwo\n\nThree', 'j1'), 'One\n\nTwo\n\nThree\n\nDocs-Agent-Job: j1\n');
    const long = `${'x'.repeat(80)}\nTwo`;
    assert.equal(commitMessage(long, 'j1'), `${'x'.repeat(71)}…\n\n${long}\n\nDocs-Agent-Job: j1\n`);
  });

  const JOB = 'Docs-Agent-Job: j1';
  const SIGNED = 'Signed-off-by: Robin <robin@example.org>';
  const signOff = { name: 'Robin', email: 'robin@example.org' };
  for (const [what, prompt, summary, style, expected] of [
    ['the user’s own', `One\n\nRefs: #12\n${SIGNED}`, '', {}, `One\n\nRefs: #12\n${SIGNED}\n${JOB}`],
    ['a signature below the text', `One\nTwo\n${SIGNED}`, 'Done', {}, `One\n\nTwo\n\nDone\n\n${SIGNED}\n${JOB}`],
    ['the agent’s', 'One', 'Done.\n\nChange-Id: I1', {}, `One\n\nDone.\n\nChange-Id: I1\n${JOB}`],
    ['a sign-off', 'One', '', { signOff }, `One\n\n${JOB}\n${SIGNED}`],
    ['one that is asked for twice', `One\n\n${SIGNED}`, SIGNED, { signOff }, `One\n\n${SIGNED}\n${JOB}`],
    ['no remark', 'One\n\nretry: 3, or\nelse', 'Note: none', {}, `One\n\nretry: 3, or\nelse\n\nNote: none\n\n${JOB}`],
    ['none of ours', 'One\n\nDocs-Agent-Job: j2', '', {}, `One\n\nDocs-Agent-Job: j2\n\n${JOB}`],
    ['a prefix', 'One', '', { subjectPrefix: 'docs: ' }, `docs: One\n\n${JOB}`],
    ['no second prefix', 'Docs: one', '', { subjectPrefix: 'docs: ' }, `Docs: one\n\n${JOB}`],
  ] as const) {
    it(`has one block of trailers: ${what}`, () => {
      assert.equal(commitMessage(prompt, 'j1', summary, style), `${expected}\n`);
    });
  }

  it('truncates a long first line to 72 characters without splitting one', () => {
    const [subject = '', , body] = commitMessage('🗼'.repeat(100), 'j1').split('\n');
    assert.equal(Array.from(subject).length, 72);
    assert.ok(subject.endsWith('🗼…'));
    assert.equal(body, '🗼'.repeat(100));
  });

  it('contains the agent’s summary, which can’t close issues, mention people or forge trailers', () => {
    const summary = 'Done.\nFixes #12, thanks @robin\n\n\nSigned-off-by: Robin\n \tDocs-Agent-Job: j2\n';
    const said = 'Done.\nFixes #\u206012, thanks @\u2060robin\n\n\n> Signed-off-by: Robin\n>  \tDocs-Agent-Job: j2';
    assert.equal(commitMessage('Document', 'j1', summary), `Document\n\n${said}\n\nDocs-Agent-Job: j1\n`);
  });

  it('has a first line and ends with the trailer for any prompt', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (prompt, summary) => {
        const message = commitMessage(prompt, 'j1', summary);
        assert.notEqual(message.split('\n')[0], '');
        assert.ok(message.endsWith('\nDocs-Agent-Job: j1\n'));
        assert.ok(!message.includes('\0'));
      }),
    );
  });
});

describe('squashMessage', () => {
  const subjectOf = (summary: string, prompt = 'Document the retries\nplease'): string =>
    squashMessage({ prompt, summary }, 'j1', 'c1').split('\n', 1)[0] ?? '';

  it('takes its first line from the agent’s summary, or else from the prompt', () => {
    assert.equal(subjectOf('I documented the retry policy. It was missing.'), 'I documented the retry policy');
    assert.equal(subjectOf('## Summary of v1.2 changes\n\n- one'), 'Summary of v1.2 changes');
    assert.equal(subjectOf('- **Added** a page'), 'Added a page');
    assert.equal(subjectOf(''), 'Document the retries');
    assert.equal(subjectOf('---\n'), 'Document the retries');
    assert.equal(subjectOf('', ''), 'Documentation');
    assert.equal(Array.from(subjectOf('word '.repeat(30))).length <= 72, true);
  });

  it('contains the wrapped summary and the start of the prompt, then its trailers', () => {
    const summary = `Done. ${'word '.repeat(30).trim()}\n\n\`\`\`\n${'x '.repeat(60).trim()}\n\`\`\``;
    const message = squashMessage({ prompt: 'One\n'.repeat(30).trim(), summary }, 'j1', 'c1');
    const [subject, , ...body] = message.trimEnd().split('\n');
    assert.equal(subject, 'Done');
    const prose = body.slice(0, body.indexOf('```'));
    assert.ok(prose.length > 2 && prose.every((line) => line.length <= 72), prose.join('\n'));
    assert.ok(body.includes('x '.repeat(60).trim()), 'code is not wrapped');
    assert.equal(body.filter((line) => line === 'One').length, 20);
    assert.deepEqual(body.slice(-4), ['… 10 more lines', '', 'Docs-Agent-Job: j1', 'Docs-Agent-Commit: c1']);
  });

  it('has the trailers of the prompt and the rules in its block', () => {
    const signOff = { name: 'Robin', email: 'r@example.org' };
    const style = { signOff, subjectPrefix: 'docs: ' };
    const message = squashMessage({ prompt: 'One\nTwo\n\nRefs: #1', summary: 'Did it.' }, 'j1', 'c1', style);
    const trailers = 'Refs: #1\nDocs-Agent-Job: j1\nDocs-Agent-Commit: c1\nSigned-off-by: Robin <r@example.org>';
    assert.equal(message, `docs: Did it\n\nPrompt:\nOne\nTwo\n\n${trailers}\n`);
  });

  it('lets no summary forge a trailer, wherever its lines are wrapped', () => {
    const summary = `${'x'.repeat(70)} Signed-off-by: Robin\nDocs-Agent-Commit: c2`;
    const message = squashMessage({ prompt: 'Document', summary }, 'j1', 'c1');
    assert.deepEqual(message.match(/^(Signed-off-by|Docs-Agent-Commit).*$/gm), ['Docs-Agent-Commit: c1']);
  });
});

const ID = '7353abcdef012345';

describe('the name of a job’s branch', () => {
  for (const [prompt, name] of [
    ['Retry policy', 'docs-agent/retry-policy-7353'],
    ['  Describe `src/retry.ts`, please!\nAnd more', 'docs-agent/describe-src-retry-ts-please-7353'],
    ['Über die Größe der Straße', 'docs-agent/uber-die-grosse-der-strasse-7353'],
    ['Document every option of the configuration file', 'docs-agent/document-every-option-of-the-7353'],
    ['x'.repeat(60), `docs-agent/${'x'.repeat(40)}-7353`],
    ['再試行を説明する', 'docs-agent/job-7353'],
    ['../..@{-1}~^:.lock', 'docs-agent/1-lock-7353'],
    ['', 'docs-agent/job-7353'],
  ] as const) {
    it(`is ${name}`, () => assert.equal(newBranchNames(prompt, ID)[0], name));
  }

  it('contains more of the id while other branches have the same name, and finally all of it', () => {
    const names = newBranchNames('Limits', ID);
    assert.deepEqual(names.slice(0, 2), ['docs-agent/limits-7353', 'docs-agent/limits-7353ab']);
    assert.equal(names.at(-1), `docs-agent/limits-${ID}`);
  });
});
