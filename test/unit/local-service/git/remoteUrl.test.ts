import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toPublicUrl } from '../../../../src/local-service/git/userRepository';

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

  it('shows no address that is longer than a path can be', () => {
    assert.equal(toPublicUrl(`https://example.org/${'a'.repeat(33_000)}`), undefined);
    assert.equal(toPublicUrl(`/srv/${'a'.repeat(33_000)}`), undefined);
  });

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
