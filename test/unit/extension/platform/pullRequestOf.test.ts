import assert from 'node:assert/strict';
import { isPullRequestOf } from '../../../../src/extension/platform/pullRequestLink';

const PR = 'https://github.com/Acme/docs/pull/12';
const REVIEW = 'http://127.0.0.1:4100/review/job1?key=abc';

describe('isPullRequestOf', () => {
  for (const [own, given] of [
    [PR, PR],
    [PR, `${PR}/`],
    [PR, `${PR}/files`],
    [PR, `${PR}/files?w=1#diff-1`],
    [PR, 'https://GitHub.com/acme/DOCS/pull/12#issuecomment-3'],
    ['https://gitlab.com/a/b/-/merge_requests/5', 'https://gitlab.com/a/b/-/merge_requests/5/diffs'],
    [REVIEW, REVIEW],
  ] as const) {
    it(`matches ${own} with ${given}`, () => assert.ok(isPullRequestOf(own, given)));
  }

  for (const [own, given] of [
    [PR, 'https://github.com/Acme/docs/pull/1'],
    [PR, 'https://github.com/Acme/docs/pull/120'],
    [PR, 'https://github.com/Acme/docs'],
    [PR, 'https://github.com.evil.example/Acme/docs/pull/12'],
    [PR, 'https://me@github.com/Acme/docs/pull/12'],
    [PR, 'http://github.com/Acme/docs/pull/12'],
    [REVIEW, 'http://127.0.0.1:4100/review/job1?key=abd'],
    [REVIEW, 'http://127.0.0.1:4101/review/job1?key=abc'],
    ['https://github.com/', PR],
    ['no address', 'no address'],
    [null, PR],
    [undefined, PR],
  ] as const) {
    it(`does not match ${String(own)} with ${given}`, () => assert.equal(isPullRequestOf(own, given), false));
  }
});
