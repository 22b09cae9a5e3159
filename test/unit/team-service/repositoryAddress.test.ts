import assert from 'node:assert/strict';
import fc from 'fast-check';
import { remoteAddress } from '../../../src/git/remotes';
import { UsageError } from '../../../src/local-service/options';
import { identityOf, readRepository } from '../../../src/team-service/repositoryAddress';

describe('address of a project’s repository', () => {
  it('is what people clone from', () => {
    for (const given of [
      'https://git.example/acme/docs.git',
      'https://git.example/group/sub/docs',
      'https://git.example:8443/acme/docs.git',
      'https://dev.azure.com/acme/My%20Project/_git/docs',
      'http://127.0.0.1:3000/acme/docs.git',
      'http://localhost/acme/docs',
      'https://github.com/acme/docs',
      'git@github.com:acme/docs.git',
      'https://bitbucket.org/acme/docs.git',
      'https://gitlab.com/group/sub/docs.git',
      'ssh://git@git.example:22/docs.git',
      'ssh://git@git.example/acme/docs.git',
      'git@git.example:group/sub/docs.git',
      'git.example:acme/docs',
      'git@git.example:/srv/docs.git',
      'file:///srv/try/docs.git',
      'file:///srv/a%20b/docs',
    ]) {
      assert.equal(readRepository(given), given);
    }
    assert.equal(readRepository('HTTPS://Git.Example:443/acme/docs.git'), 'https://git.example/acme/docs.git');
  });

  const path = /double slashes, and the parts/;
  const page = /Copy the address from the page’s clone button\.$/;
  for (const [given, message] of [
    ['https://github.com/acme/docs/tree/main', page],
    ['https://github.com/acme', page],
    ['git@github.com:acme', page],
    ['ssh://git@ssh.github.com:443/acme/docs/tree', page],
    ['https://github.acme.example/acme', page],
    ['https://bitbucket.org/acme/docs/src/main', page],
    ['https://gitlab.com/acme/docs/-/tree/main', page],
    ['https://gitlab.com/acme', page],
    ['https://git.example/acme/docs.git?x=1#y', /from “\?” or “#” on/],
    ['https://git.example/acme/docs.git#y', /from “\?” or “#” on/],
    ['git@git.example:acme/docs.git?x', /from “\?” or “#” on/],
    ['https://me:secret@git.example/acme/docs', /user name and password/],
    ['https://secret@git.example/acme/docs', /user name and password/],
    ['ssh://git:secret@git.example/acme/docs', /user name and password/],
    ['git:secret@git.example:acme/docs', /^--repository must be a plain address/],
    ['https://git.example/acme/../beta/docs.git', path],
    ['https://git.example/acme/%2E%2e/beta/docs.git', path],
    ['https://git.example/acme/./docs.git', path],
    ['https://git.example/acme/..', path],
    ['https://git.example/acme//docs.git', path],
    ['https://git.example\\acme/docs.git', path],
    ['https:///git.example/acme/docs.git', path],
    ['git@git.example:../docs.git', path],
    ['https://.:443/docs.git', path],
    ['https://@../docs.git', path],
    ['file:////srv/docs.git', path],
    ['file:///srv/../etc', path],
    ['https://git.example/acme/docs.git\n', /line breaks/],
    ['https://git.example/ac\nme/docs.git', /line breaks/],
    ['https://git.example/acme/my docs.git', /spaces/],
    ['https://git.example/acme/docs\u200b.git', /invisible/],
    ['file:///srv/docs%0a.git', /line breaks/],
    ['ext::sh -c id', /Leave out/],
    ['ext::id', /“::”/],
    ['ssh://-oProxyCommand=id/x', /hyphen/],
    ['https://-git.example/acme/docs', /hyphen/],
    ['-oProxyCommand=id:x', /hyphen/],
    ['ssh://-u@git.example/x', /hyphen/],
    ['/etc', /file:\/\//],
    ['http://git.example/acme/docs.git', /https/],
    ['https://git.example', /plain address/],
    ['https://git.example/', /plain address/],
    ['git@git.example:', /plain address/],
    ['file:///', /plain address/],
    ['file://tmp/docs.git', /three slashes: file:\/\/\/srv\/docs\.git\.$/],
    ['file:/srv/docs.git', /plain address/],
    ['https:/git.example/acme/docs.git', /plain address/],
    ['git://git.example/acme/docs.git', /plain address/],
    ['ftp://git.example/acme/docs.git', /plain address/],
    ['docs', /plain address/],
    ['../docs', /./],
    ['', /plain address/],
  ] as const) {
    it(`is not ${JSON.stringify(given)}`, () => {
      assert.throws(
        () => readRepository(given),
        (error: Error) =>
          error instanceof UsageError &&
          message.test(error.message) &&
          !/secret|\n/.test(error.message) &&
          error.message.length < 300,
      );
    });
  }

  it('gives a project the same ID, whoever clones its repository', () => {
    const same = ['ssh://git@git.example/acme/docs', 'me@git.example:acme/docs.git', 'git.example:/acme/docs.git/'];
    assert.deepEqual(
      [...new Set(same.map((each) => identityOf(readRepository(each))))],
      ['ssh://git.example/acme/docs'],
    );
  });

  it('never gives a project the ID of another repository than the one that workers clone', () => {
    const part = fc.constantFrom(
      ...[
        'https://',
        'ssh://',
        'file:///',
        'http://',
        'git@',
        'git.example',
        'localhost',
        ':',
        ':443',
        '/',
        '/',
        'acme',
      ],
      ...['docs', '.git', '..', '.', '%2e', '%2F', '?', '#', '@', '\\', '-', '~', '%20', 'ö', 'DOCS', '+'],
    );
    const address = fc.array(part, { minLength: 2, maxLength: 9 }).map((parts) => parts.join(''));
    const accepted = new Map<string, unknown>();
    const read = (given: string): string | undefined => {
      try {
        return readRepository(given);
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(address, (given) => {
        const saved = read(given);
        if (saved !== undefined) {
          assert.equal(read(saved), saved);
          const place = JSON.stringify(remoteAddress(saved, '/')).replace(/(?:\.git)?\/?"}$/, '"}');
          const id = identityOf(saved);
          assert.equal(accepted.get(id) ?? place, place, `${given} as ${id}`);
          accepted.set(id, place);
        }
      }),
      { numRuns: 20_000 },
    );
    assert.ok(accepted.size > 100, String(accepted.size));
  });
});
