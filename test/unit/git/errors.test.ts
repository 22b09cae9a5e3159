import assert from 'node:assert/strict';
import { lastWords, toGitError } from '../../../src/git/errors';

const CLOSING = `fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.
`;
const POST_QUANTUM = `** WARNING: connection is not using a post-quantum key exchange algorithm.
** This session may be vulnerable to "store now, decrypt later" attacks.
** The server may need to be upgraded. See https://openssh.com/pq.html
`;

describe('lastWords of git or ssh', () => {
  for (const [printed, words] of [
    [`git@github.com: Permission denied (publickey).\n${CLOSING}`, 'git@github.com: Permission denied (publickey).'],
    [`ERROR: Repository not found.\n${CLOSING}`, 'ERROR: Repository not found.'],
    [
      `No ED25519 host key is known for h and you have requested strict checking.\r\nHost key verification failed.\r\n${CLOSING}`,
      'No ED25519 host key is known for h and you have requested strict checking. Host key verification failed.',
    ],
    [
      `ssh: Could not resolve hostname h: Name or service not known\r\n${CLOSING}`,
      'ssh: Could not resolve hostname h: Name or service not known',
    ],
    [
      `Warning: Permanently added 'h' (ED25519) to the list of known hosts.\n${POST_QUANTUM}me@h: Permission denied (publickey).\n${CLOSING}`,
      'me@h: Permission denied (publickey).',
    ],
    [
      `fatal: '/srv/x.git' does not appear to be a git repository\n${CLOSING}`,
      "fatal: '/srv/x.git' does not appear to be a git repository",
    ],
    [
      "warning: redirecting to https://h/\nfatal: unable to access 'https://h/x/': Could not resolve host: h\n",
      "fatal: unable to access 'https://h/x/': Could not resolve host: h",
    ],
    [
      CLOSING,
      'fatal: Could not read from remote repository. Please make sure you have the correct access rights and the repository exists.',
    ],
    ['', ''],
  ] as const) {
    it(`says the cause: ${words}`, () => {
      assert.equal(lastWords(printed), words);
      const { message } = toGitError(Object.assign(new Error(), { code: 128 }), '', printed, '/');
      assert.equal(message, words || 'git ended with code 128');
    });
  }
});
