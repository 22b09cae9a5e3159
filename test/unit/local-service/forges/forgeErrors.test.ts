import assert from 'node:assert/strict';
import { toEnglish } from '../../../../src/local-service/codedText';
import { pushErrorText, toForgeFailure } from '../../../../src/local-service/forges/forgeErrors';
import { pushFailure } from '../../../../src/local-service/git/pushBranch';

const LINK = 'https://h/orgs/acme/sso?authorization_request=A1';
const UNREADABLE = 'fatal: Could not read from remote repository.';

describe('the text about a refusal of a Git host', () => {
  const said: [string, string, RegExp][] = [
    [
      'a push over HTTPS that lacks a sign-on',
      `remote: Resource is protected by SAML SSO. Visit ${LINK}\nfatal: unable to access 'https://h/a/b.git/': The requested URL returned error: 403`,
      /^h denied the push to a\/b: Resource is protected by SAML SSO\. Visit https:\/\/h\/orgs\/acme\/sso\?authorization_request=A1\. Sign in with/,
    ],
    [
      'a push over SSH that lacks a sign-on',
      `ERROR: The organization has enforced SAML SSO. Visit ${LINK}\n${UNREADABLE}`,
      /^h rejected branch x: The organization has enforced SAML SSO\. Visit https:\/\/h\/orgs\/acme\/sso\?authorization_request=A1\.$/,
    ],
    [
      'a push that isn’t allowed, where only Git says so',
      "fatal: Authentication failed for 'https://h/'",
      /^h denied the push to a\/b\. Sign in with/,
    ],
    [
      'a repository that isn’t shown',
      `ERROR: Repository not found.\n${UNREADABLE}`,
      /^h has no repository a\/b, or you don’t have access to it: Repository not found\. Check the remote/,
    ],
    ['a host that didn’t answer', 'ssh: Could not resolve hostname h\nfatal: Could not read', /^Couldn’t reach h: /],
  ];
  for (const [what, stderr, text] of said) {
    it(`has the host’s words: ${what}`, () => {
      assert.match(toEnglish(pushErrorText('h', 'x', 'a/b', 'origin', pushFailure('', stderr, []))), text);
    });
  }

  it('has the link of a single sign-on that the API names in a header', () => {
    const headers = { 'x-github-sso': `required; url=${LINK}` };
    const failure = toForgeFailure('h', 'a/b', 403, headers, 'Resource protected by organization SAML enforcement.');
    assert.ok(
      failure.message.includes(`Resource protected by organization SAML enforcement. ${LINK}`),
      failure.message,
    );
  });
});
