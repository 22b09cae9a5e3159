import assert from 'node:assert/strict';
import { newBranchName } from '../../../../src/local-service/git/branchName';

const ID = '7353abcdef012345';
const free = (): boolean => false;

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
    it(`is ${name}`, () => assert.equal(newBranchName(prompt, ID, free), name));
  }

  it('has more of the id while other branches have that name, and finally all of it', () => {
    const taken = new Set(['docs-agent/limits-7353', 'docs-agent/limits-7353ab']);
    assert.equal(
      newBranchName('Limits', ID, (name) => taken.has(name)),
      'docs-agent/limits-7353abcd',
    );
    assert.equal(
      newBranchName('Limits', ID, () => true),
      `docs-agent/limits-${ID}`,
    );
  });
});
