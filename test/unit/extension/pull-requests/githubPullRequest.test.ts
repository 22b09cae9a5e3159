import { strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { githubPullRequest } from '../../../../src/extension/platform/pullRequestLink';

describe('githubPullRequest', () => {
  const plain = 'https://github.com/acme/docs/pull/12';

  for (const link of [
    plain,
    `${plain}/`,
    `${plain}/files`,
    `${plain}/changes/0123abc`,
    `${plain}/commits/0123abc?w=1#diff-1`,
    `${plain}?notification_referrer_id=x`,
    `${plain}#issuecomment-1`,
    'HTTPS://GitHub.com/acme/docs/pull/12',
    'https://github.com:443/acme/docs/pull/12',
  ]) {
    it(`returns the canonical link for ${link}`, () => strictEqual(githubPullRequest(link), plain));
  }

  for (const link of [
    null,
    '',
    'http://github.com/acme/docs/pull/12',
    'https://github.com:8443/acme/docs/pull/12',
    'https://user@github.com/acme/docs/pull/12',
    'https://github.com.evil.example/acme/docs/pull/12',
    'https://www.github.com/acme/docs/pull/12',
    'https://ghe.example/acme/docs/pull/12',
    'https://github.com/acme/docs/pull/0',
    'https://github.com/acme/docs/pull/12x',
    'https://github.com/acme/docs/pull/12/unknown',
    'https://github.com/acme/docs/pulls/12',
    'https://github.com/acme/docs/issues/12',
    'https://github.com/acme/../docs/pull/12',
    'https://github.com/acme/%2e%2e/pull/12',
    'https://github.com/acme/do%2Fcs/pull/12',
    'https://github.com/a/b/c/pull/12',
    'http://127.0.0.1:1234/review/j1/secret',
  ]) {
    it(`returns nothing for ${String(link)}`, () => strictEqual(githubPullRequest(link), undefined));
  }

  it('returns a canonical link or undefined for any text', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('acme', 'docs', 'pull', '12', 'files', '..', '.', '%2e', '?', '#'),
    );
    const links = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string(),
      fc.array(part, { maxLength: 7 }).map((parts) => `https://github.com/${parts.join('/')}`),
    );
    fc.assert(
      fc.property(links, (link) => {
        const found = githubPullRequest(link);
        return (
          found === undefined ||
          (/^https:\/\/github\.com\/[^/?#]+\/[^/?#]+\/pull\/\d+$/.test(found) && githubPullRequest(found) === found)
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('ignores any page, query and fragment after the number', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}$/);
    const tail = fc.constantFrom('', '/', '/files', '/commits', '/checks/', '/files/1..2', '?a=b', '/files?x#y', '#z');
    fc.assert(
      fc.property(name, name, fc.integer({ min: 1, max: 999_999_999 }), tail, (owner, repository, number, end) => {
        const link = `https://github.com/${owner}/${repository}/pull/${number}`;
        strictEqual(githubPullRequest(link + end), link);
      }),
    );
  });
});
