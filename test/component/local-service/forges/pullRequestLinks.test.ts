import assert from 'node:assert/strict';
import { printedLink } from '../../../../src/local-service/forges/forgePublisher';
import { sanitize } from '../../../../src/local-service/text';
import { forgeOf } from '../../../support/captureForge';

const WEB = 'https://git.example.org/a/b';

describe('pull request links', () => {
  for (const [kind, base, link] of [
    ['github', 'main', `${WEB}/compare/main...docs-agent/j%231?expand=1`],
    ['github', null, `${WEB}/compare/docs-agent/j%231?expand=1`],
    ['gitea', 'v/2', `${WEB}/compare/v/2...docs-agent/j%231`],
    ['bitbucket', 'main', `${WEB}/pull-requests/new?source=docs-agent%2Fj%231&dest=main`],
    ['gitlab', null, `${WEB}/-/merge_requests/new?merge_request%5Bsource_branch%5D=docs-agent%2Fj%231`],
  ] as const) {
    it(`lead to the page for opening one on ${kind}${base === null ? ' without a base' : ''}`, () => {
      const at = { webUrl: WEB, branch: 'docs-agent/j#1', base, forkOwner: undefined };
      assert.equal(forgeOf(kind).comparePage(at), link);
    });
  }

  it('are read from the host’s output', () => {
    const printed = `remote: \nremote: View merge request for x:        \nremote:   ${WEB}/-/merge_requests/12        \nTo x`;
    assert.equal(printedLink(printed, WEB), `${WEB}/-/merge_requests/12`);
    assert.equal(printedLink(`remote: Visit:\r\nremote:   ${WEB}/pulls/3 merges into main`, WEB), `${WEB}/pulls/3`);
  });

  it('are ignored when they open a new pull request or belong to another host or repository', () => {
    for (const line of [
      `${WEB}/-/merge_requests/new?x=1`,
      'https://evil.example/a/b/-/merge_requests/12',
      'https://git.example.org/a/c/-/merge_requests/12',
      'https://git.example.org@evil.example/a/b/pulls/1',
    ]) {
      assert.equal(printedLink(`remote: ${line}`, WEB), undefined);
    }
    assert.equal(printedLink(`${WEB}/pulls/3`, WEB), undefined, 'the host did not print it');
  });
});

describe('sanitize', () => {
  it('removes secrets in any encoding, user names in URLs and control characters', () => {
    const secret = 's3cret/+x';
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    for (const form of forms) {
      assert.doesNotMatch(sanitize(`a ${form} b`, [secret]), /s3cret|czNjcmV0/);
    }
    assert.equal(sanitize('at https://robin:pw@x.example/a\n\u001b[2Jend\u0007\u202e'), 'at https://x.example/a end');
    assert.equal(Array.from(sanitize('x'.repeat(9000))).length, 300);
  });
});
