import assert from 'node:assert/strict';
import { newBranchNames } from '../../../../src/local-service/git/userRepository';

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
