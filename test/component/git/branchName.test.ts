import { strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { isBranchName } from '../../../src/git/git';

describe('isBranchName', () => {
  for (const name of ['main', 'docs-agent/0123abcd', 'mintlify/add-page-123', 'fix/über', 'a.b', 'v1@2', 'feature#1']) {
    it(`accepts ${name}`, () => strictEqual(isBranchName(name), true));
  }

  for (const name of [
    '',
    '-f',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a:b',
    'a^',
    'a~1',
    '@',
    'a@{1}',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    'HEAD',
    'refs/heads/a',
    'a\nb',
    'a\\b',
    'a*',
  ]) {
    it(`rejects ${JSON.stringify(name)}`, () => strictEqual(isBranchName(name), false));
  }

  it('accepts only names that git accepts', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ab/.-@{}~^:?*[\\ +lock'.split(/(?:)/)),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (name) => {
        fc.pre(isBranchName(name));
        strictEqual(spawnSync('git', ['check-ref-format', '--branch', name]).status, 0, name);
      }),
      { numRuns: 60 },
    );
  });
});
