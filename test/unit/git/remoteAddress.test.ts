import assert from 'node:assert/strict';
import fc from 'fast-check';
import { remoteAddress } from '../../../src/git/remotes';

const hosted = (host: string, path: string, scheme = 'https') => ({ host, origin: `${scheme}://${host}`, path });

describe('remoteAddress', () => {
  const cases: [string, unknown][] = [
    ['https://github.com/robin/lighthouse.git', hosted('github.com', 'robin/lighthouse')],
    ['https://GitHub.com/robin/lighthouse/', hosted('github.com', 'robin/lighthouse')],
    ['https://robin:secret@git.example.org:8443/a/b', hosted('git.example.org:8443', 'a/b')],
    ['git@github.com:robin/lighthouse.git', hosted('github.com', 'robin/lighthouse')],
    ['github.com:robin/lighthouse', hosted('github.com', 'robin/lighthouse')],
    ['ssh://git@ssh.github.com:443/robin/lighthouse.git', hosted('github.com', 'robin/lighthouse')],
    ['ssh://git@git.example.org:2222/a/b/c.git', hosted('git.example.org', 'a/b/c')],
    ['git@gitlab.com:group/sub/project.git', hosted('gitlab.com', 'group/sub/project')],
    ['git+ssh://git@gitlab.com/group/project.git', hosted('gitlab.com', 'group/project')],
    ['https://dev.azure.com/acme/My%20Project/_git/docs', hosted('dev.azure.com', 'acme/My Project/_git/docs')],
    ['https://dev.azure.com/acme/Team%20%26%20Docs/_git/(new)', hosted('dev.azure.com', 'acme/Team & Docs/_git/(new)')],
    ['git@ssh.dev.azure.com:v3/acme/My%20Project/docs', hosted('ssh.dev.azure.com', 'v3/acme/My Project/docs')],
    ['https://git.example.org/gr%C3%B6%C3%9Fe/docs', hosted('git.example.org', 'größe/docs')],
    ['https://example.org/a/%20', undefined],
    ['https://example.org/a/b%0Ac', undefined],
    ['https://example.org/a/b%3Fc', undefined],
    ['http://127.0.0.1:3000/a/b.git', hosted('127.0.0.1:3000', 'a/b', 'http')],
    ['http://localhost/a/b.git', hosted('localhost', 'a/b', 'http')],
    ['/srv/git/a.git', { folder: '/srv/git/a.git' }],
    ['file:///srv/git/a%20b.git', { folder: '/srv/git/a b.git' }],
    ['../a.git', { folder: '/home/robin/a.git' }],
    ['a.git', { folder: '/home/robin/repo/a.git' }],
    ['./a:b.git', { folder: '/home/robin/repo/a:b.git' }],
    ['http://example.org/a/b.git', undefined],
    ['git://example.org/a/b.git', undefined],
    ['ftp://example.org/a/b.git', undefined],
    ['ext::sh -c evil', undefined],
    ['ext::evil', undefined],
    ['persistent-https://example.org/a/b', undefined],
    ['ssh://-oProxyCommand=evil/a/b', undefined],
    ['-oProxyCommand=evil:a/b', undefined],
    ['https://example.org/a/b?x=../..', hosted('example.org', 'a/b')],
    ['https://example.org/a/..%2f..%2fb', undefined],
    ['https://example.org\\@evil.example/a/b', undefined],
    ['https://example.org/a b', undefined],
    ['https://example.org/a\nb', undefined],
    ['https://example.org/', undefined],
    ['', undefined],
    [`https://example.org/${'a'.repeat(3000)}`, undefined],
  ];
  for (const [url, wanted] of cases) {
    it(`parses ${JSON.stringify(url.slice(0, 60))}`, () => {
      assert.deepEqual(remoteAddress(url, '/home/robin/repo', 'linux'), wanted);
    });
  }

  it('never throws and returns only HTTPS or loopback addresses', () => {
    const part = fc.constantFrom(
      'git@',
      'ssh://',
      'https://',
      'http://',
      'host',
      ':',
      '/',
      'a/b',
      '.git',
      '%',
      '@',
      '\\',
      '-',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (url) => {
        const address = remoteAddress(url, '/base', 'linux');
        if (address !== undefined && !('folder' in address)) {
          assert.match(address.origin, /^(https:\/\/|http:\/\/(localhost|127\.|\[::1\]))/);
          assert.ok(URL.canParse(`${address.origin}/${address.path}`));
          assert.equal(new URL(address.origin).username, '');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
