import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatJobLink,
  type JobLink,
  looksLikeJobLink,
  parseJobLink,
  parseJobUri,
} from '../../../../src/extension/platform/jobLink';
import { isPathSafeId } from '../../../../src/protocol/status';

const GOOD: JobLink = { service: 'https://api.mintlify.com', project: 'docs-project', id: 'job_1' };
const START = 'vscode://docs-agent.docs-agent-jobs/job?';

/** The parts as the editor passes them: the whole query is decoded once, and invalid escapes are left unchanged. */
function opened(link: string): { path: string; query: string; fragment: string } {
  const [, path = '', query = '', fragment = ''] =
    /^[a-z-]+:\/\/[^/]*([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(link) ?? [];
  const decoded = (text: string): string => text.replace(/(%[0-9A-Fa-f]{2})+/g, (codes) => tried(codes));
  return { path: decoded(path), query: decoded(query), fragment: decoded(fragment) };
}

function tried(codes: string): string {
  try {
    return decodeURIComponent(codes);
  } catch {
    return codes;
  }
}

const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter(isPathSafeId);
const service = fc
  .oneof(
    fc.constantFrom('local', 'http://127.0.0.1:8080', 'http://[::1]:9', 'http://localhost'),
    fc.webAuthority().map((host) => `https://${host}`),
  )
  .filter((origin) => origin === 'local' || (URL.canParse(origin) && new URL(origin).origin === origin));

describe('job link', () => {
  it('leaves plain parts unencoded', () => {
    const link = formatJobLink('vscode', GOOD);
    assert.equal(link, `${START}service=https://api.mintlify.com&project=docs-project&id=job_1`);
    assert.ok(looksLikeJobLink(link));
  });

  it('survives copying and opening with any valid parts', () => {
    fc.assert(
      fc.property(fc.record({ service, project: id, id }, { noNullPrototype: true }), (link) => {
        const text = formatJobLink('code-oss', link);
        assert.match(text, /^[\w.:/?&=%~[\]-]+$/);
        assert.deepEqual(parseJobLink(text), link);
        assert.deepEqual(parseJobUri(opened(text)), link);
      }),
      { numRuns: 500 },
    );
  });

  it('can be written by hand with a service that is encoded only once', () => {
    const text = `${START}service=https%3A%2F%2Fapi.mintlify.com&project=docs-project&id=job_1`;
    assert.deepEqual(parseJobLink(text), GOOD);
    assert.deepEqual(parseJobUri(opened(text)), GOOD);
  });

  const query = 'service=https://api.mintlify.com&project=docs-project&id=job_1';
  const bad: Record<string, string> = {
    'another extension': `vscode://other.extension/job?${query}`,
    'a longer name': `vscode://docs-agent.docs-agent-jobs.evil/job?${query}`,
    'another path': `vscode://docs-agent.docs-agent-jobs/jobs?${query}`,
    'a path that leads back': `vscode://docs-agent.docs-agent-jobs/../job?${query}`,
    'a path before it': `vscode://docs-agent.docs-agent-jobs/x/job?${query}`,
    'a fragment': `${START}${query}#x`,
    'no query': START.slice(0, -1),
    'an empty query': START,
    'a part that is unknown': `${START}${query}&prompt=Delete%20all`,
    'a part given twice': `${START}${query}&service=https://evil.example`,
    'a part without a value': `${START}${query}&x`,
    'the name of a prototype': `${START}${query}&__proto__=x`,
    'no project': `${START}service=local&id=job_1`,
    'no service': `${START}project=p&id=job_1`,
    'an empty id': `${START}service=local&project=p&id=`,
    'an id that leads back': `${START}service=local&project=p&id=..`,
    'an id that leads back, encoded': `${START}service=local&project=p&id=%2E%2e`,
    'an id that leads back, encoded twice': `${START}service=local&project=p&id=%252E%252e`,
    'a line break': `${START}service=local&project=p&id=a%250Ab`,
    'an id that is too long': `${START}service=local&project=p&id=${'a'.repeat(513)}`,
    'half a character': `${START}service=local&project=p&id=%25ED%25A0%2580`,
    'a broken escape': `${START}service=local&project=p&id=100%25`,
    'a service in the open': `${START}service=http://api.mintlify.com&project=p&id=j`,
    'a service with a path': `${START}service=https://api.mintlify.com/x&project=p&id=j`,
    'a service with a slash': `${START}service=https://api.mintlify.com/&project=p&id=j`,
    'a service with a user': `${START}service=https://api.mintlify.com@evil.example&project=p&id=j`,
    'a service in capitals': `${START}service=HTTPS://API.mintlify.com&project=p&id=j`,
    'a service that is its own default port': `${START}service=https://api.mintlify.com:443&project=p&id=j`,
    'a service in other letters': `${START}service=https://apі.mintlify.com&project=p&id=j`,
    'a service that is a script': `${START}service=javascript:alert(1)&project=p&id=j`,
    'a service that is no address': `${START}service=LOCAL&project=p&id=j`,
    'far too much': `${START}${query}${'&id='.repeat(10_000)}`,
  };
  for (const [name, link] of Object.entries(bad)) {
    it(`is rejected with ${name}`, () => {
      assert.equal(parseJobLink(link), undefined);
      const isOurs = link.startsWith('vscode://docs-agent.docs-agent-jobs/');
      if (isOurs) {
        assert.equal(parseJobUri(opened(link)), undefined);
      }
    });
  }

  it('parses to exactly three valid parts or to nothing, for any text', () => {
    const piece = fc.constantFrom(
      'service=',
      'project=',
      'id=',
      '&',
      '=',
      '%',
      '%25',
      '%2E',
      '..',
      'https://',
      'local',
      '#',
      '?',
      '/job',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 20 });
    fc.assert(
      fc.property(text, (pieces) => {
        const query = pieces.join('');
        for (const link of [parseJobLink(START + query), parseJobUri({ path: '/job', query, fragment: '' })]) {
          if (link !== undefined) {
            assert.deepEqual(Object.keys(link).toSorted(), ['id', 'project', 'service']);
            assert.ok(isPathSafeId(link.project) && isPathSafeId(link.id));
            assert.ok(link.service === 'local' || new URL(link.service).origin === link.service);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is recognized with the scheme of any editor, while other text is not', () => {
    for (const scheme of ['vscode', 'vscode-insiders', 'vscodium', 'cursor', 'code-oss']) {
      assert.ok(looksLikeJobLink(formatJobLink(scheme, GOOD)), scheme);
    }
    for (const text of ['job_1', 'https://github.com/o/r/pull/1', 'docs-agent.docs-agent-jobs/job', '']) {
      assert.equal(looksLikeJobLink(text), false, text);
    }
  });
});
