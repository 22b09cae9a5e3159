import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pushFailure, type PushProblem, RemoteReferences } from '../../../../src/local-service/git/pushBranch';
import { toPublicUrl } from '../../../../src/local-service/git/userRepository';

/** The output of git and the Git hosts. */
const cases: [PushProblem, string, string, string][] = [
  ['rejected', '!\tabc:refs/heads/x\t[rejected] (non-fast-forward)', '', '[rejected] (non-fast-forward)'],
  ['rejected', '!\tabc:refs/heads/x\t[rejected] (fetch first)', 'error: failed', '[rejected] (fetch first)'],
  [
    'declined',
    'To https://x\n!\tabc:refs/heads/x\t[remote rejected] (protected branch hook declined)',
    'remote: error: GH006: Protected branch update failed for refs/heads/x.        \nremote: ',
    'error: GH006: Protected branch update failed for refs/heads/x.',
  ],
  [
    'rejected',
    "!\ta:b\t[remote rejected] (cannot lock ref 'refs/heads/b': is at 1a but expected 2b)",
    '',
    "cannot lock ref 'refs/heads/b': is at 1a but expected 2b",
  ],
  [
    'objectsMissing',
    '!\ta:b\t[remote rejected] (unpacker error)',
    `fatal: unable to read ${'1'.repeat(40)}\nerror: remote unpack failed: eof before pack header was fully read`,
    '',
  ],
  ['declined', '!\ta:b\t[remote rejected] (shallow update not allowed)', '', 'shallow update not allowed'],
  [
    'notFound',
    '',
    "remote: \nremote: ========\nremote: The project you were looking for could not be found or you don't have permission to view it.\nremote: ========\nfatal: Could not read from remote repository.",
    "The project you were looking for could not be found or you don't have permission to view it.",
  ],
  ['notFound', '', "remote: Repository not found.\nfatal: repository 'https://x/' not found", 'Repository not found.'],
  [
    'notFound',
    '',
    'ERROR: Repository not found.\nfatal: Could not read from remote repository.',
    'Repository not found.',
  ],
  [
    'declined',
    '',
    `ERROR: The 'acme' organization has enforced SAML SSO. Visit https://x/orgs/acme/sso?${'a'.repeat(300)} to sign in.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
    `The 'acme' organization has enforced SAML SSO. Visit https://x/orgs/acme/sso?${'a'.repeat(300)} to sign in.`,
  ],
  [
    'declined',
    '',
    'remote: \nremote: ERROR: You are not allowed to push code to this project.\nremote: \nfatal: Could not read from remote repository.',
    'ERROR: You are not allowed to push code to this project.',
  ],
  [
    'authentication',
    '',
    "fatal: Authentication failed for 'https://robin:pw@x/'",
    "fatal: Authentication failed for 'https://x/'",
  ],
  ['authentication', '', "fatal: could not read Username for 'https://x': terminal prompts disabled", ''],
  ['authentication', '', 'git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.', ''],
  [
    'authentication',
    '',
    'remote: Permission to a/b.git denied to robin.\nfatal: The requested URL returned error: 403',
    'Permission to a/b.git denied to robin.',
  ],
  ['unknownHostKey', '', 'Host key verification failed.\nfatal: Could not read from remote repository.', ''],
  ['certificate', '', "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", ''],
  ['unreachable', '', "fatal: unable to access 'https://x/': Could not resolve host: x", ''],
  [
    'unreachable',
    '',
    'ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.',
    '',
  ],
  ['noOptions', '', 'fatal: the receiving end does not support push options', ''],
  ['moved', '', "fatal: unable to access 'https://x/a/b.git/': The requested URL returned error: 301", ''],
  ['moved', '', "fatal: unable to access 'https://x/a/b.git/': The requested URL returned error: 308", ''],
  ['protocol', '', "fatal: transport 'ext' not allowed", ''],
  [
    'authentication',
    '',
    'git@h: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.',
    'git@h: Permission denied (publickey).',
  ],
  ['other', '', 'fatal: something new', 'fatal: something new'],
];

describe('pushFailure', () => {
  for (const [problem, stdout, stderr, words] of cases) {
    it(`recognizes ${problem}: ${(stdout || stderr).split('\n').at(-1) ?? ''}`, () => {
      const failure = pushFailure(stdout, stderr, []);
      assert.equal(failure.problem, problem);
      if (words !== '') {
        assert.equal(failure.words, words);
      }
    });
  }
});

describe('RemoteReferences', () => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  const line = (commit: string, name: string): string => `${commit}\t${name}\n`;

  it('finds the names of a commit', () => {
    const lines = [line(one, 'HEAD'), line(two, 'refs/heads/a'), line(one, 'refs/heads/b'), line(one, 'refs/heads/c')];
    const references = new RemoteReferences(lines.join(''));
    assert.deepEqual(references.namesOf(one), ['HEAD', 'refs/heads/b', 'refs/heads/c']);
    assert.deepEqual(references.namesOf('3'.repeat(40)), []);
    assert.deepEqual([references.has('refs/heads/a'), references.has('refs/heads/')], [true, false]);
  });

  it('tells the commit of a name, and what HEAD names', () => {
    const head = `ref: refs/heads/a.b\tHEAD\n${line(one, 'HEAD')}`;
    const references = new RemoteReferences(`${head}${line(two, 'refs/heads/aXb')}${line(one, 'refs/heads/a.b')}`);
    const commits = ['HEAD', 'refs/heads/a.b', 'refs/heads/a'].map((name) => references.commitOf(name));
    assert.deepEqual([references.defaultBranch, ...commits], ['a.b', one, one, undefined]);
    assert.equal(new RemoteReferences(line(one, 'HEAD')).defaultBranch, undefined);
  });
});

describe('toPublicUrl', () => {
  const cases: [string, string | undefined][] = [
    ['https://example.org/team/docs.git', 'https://example.org/team/docs.git'],
    ['https://robin:secret@example.org/team/docs.git', 'https://example.org/team/docs.git'],
    ['https://token@example.org/docs?access_token=secret#secret', 'https://example.org/docs'],
    ['git@example.org:team/docs.git', 'ssh://example.org/team/docs.git'],
    ['example.org:docs.git', 'ssh://example.org/docs.git'],
    ['ssh://git@example.org:2222/docs.git', 'ssh://example.org:2222/docs.git'],
    ['/srv/git/docs.git', 'file:///srv/git/docs.git'],
    ['', undefined],
    ['../docs.git', undefined],
  ];
  for (const [remote, shown] of cases) {
    it(`shows ${remote || 'nothing'} as ${shown ?? 'nothing'}`, () => assert.equal(toPublicUrl(remote), shown));
  }

  it('never shows a password', () => {
    const word = fc.stringMatching(/^[a-z0-9]{8,12}$/);
    fc.assert(
      fc.property(word, word, fc.constantFrom('https', 'http', 'ssh', 'git'), (user, password, scheme) => {
        const shown = toPublicUrl(`${scheme}://${user}:zz${password}@host.example/path.git`) ?? '';
        assert.ok(shown.includes('host.example') && !shown.includes(`zz${password}`));
      }),
    );
  });
});
