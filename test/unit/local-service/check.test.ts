import { deepStrictEqual, match, ok, throws } from 'node:assert/strict';
import type { Finding } from '../../../src/checks/finding';
import { checkUsage, parseCheckCommandLine } from '../../../src/local-service/check/checkCommandLine';
import { describeCoverage, describeFinding } from '../../../src/local-service/check/describeFinding';
import { userCacheFolder } from '../../../src/local-service/dataFolder';
import { UsageError } from '../../../src/local-service/options';

describe('the command line of a check', () => {
  it('has usable defaults', () => {
    deepStrictEqual(parseCheckCommandLine([]), {
      folder: '.',
      range: undefined,
      code: [],
      sarif: undefined,
      json: false,
      cache: true,
    });
  });

  it('accepts a range, which ends at the current commit by default', () => {
    deepStrictEqual(parseCheckCommandLine(['--base', 'main'])?.range, { base: 'main', head: 'HEAD' });
    deepStrictEqual(parseCheckCommandLine(['a', '--base=x', '--head=y'])?.range, { base: 'x', head: 'y' });
  });

  for (const args of [['--head', 'a'], ['a', 'b'], ['--nonsense'], ['--sarif']]) {
    it(`rejects ${args.join(' ')}`, () => throws(() => parseCheckCommandLine(args), UsageError));
  }

  it('explains itself on lines that fit a terminal', () => {
    const usage = checkUsage('docs-agent');
    match(usage, /^Usage: docs-agent check .*--no-cache .*Exit codes: 0 .*, 1 .*, 2 /s);
    ok(usage.split('\n').every((line) => line.length <= 120));
  });
});

describe('the output of a check', () => {
  const place = { path: 'a.md', line: 1, column: 2, endColumn: 3 };
  const removed = { commit: 'a'.repeat(40), subject: 'Rename it', date: 0 };

  it('names the commit and the successor of a name, if they are known', () => {
    const gone = { rule: 'gone-name', place, name: 'old', kind: 'identifier', written: 'b' } as const;
    const printed = [
      describeFinding({ ...gone, removed, successor: 'next' }),
      describeFinding({ ...gone, removed: null, successor: null }),
    ];
    deepStrictEqual(printed, [
      '“old” is no longer in the code. It was removed by aaaaaaaaaa (Rename it). Perhaps “next”?',
      '“old” is no longer in the code.',
    ]);
  });

  it('is one line for each kind of finding', () => {
    const findings: Finding[] = [
      { rule: 'unknown-name', place, name: 'x', kind: 'flag', certainty: 'certain' },
      { rule: 'unknown-name', place, name: 'x', kind: 'flag', certainty: 'likely' },
      { rule: 'broken-link', place, target: 'x', problem: 'file' },
      { rule: 'broken-link', place, target: 'x', problem: 'anchor' },
      { rule: 'missing-image', place, target: 'x' },
      { rule: 'invalid-code', place, language: 'json', message: 'no value' },
    ];
    const lines = findings.map(describeFinding);
    ok(new Set(lines).size === findings.length && lines.every((line) => !line.includes('\n')));
  });

  it('says what was not checked', () => {
    match(
      describeCoverage({ pages: 2, names: 3, notChecked: [{ reason: 'shallow', count: 2 }] }),
      /^Checked 3 names on 2 pages\. Not checked: 2 pages: .*git fetch --unshallow/,
    );
  });
});

describe('the cache folder', () => {
  it('is where the system keeps such files', () => {
    const home = { linux: '/home/a', darwin: '/Users/a', win32: 'C:\\Users\\a' };
    deepStrictEqual(userCacheFolder({}, home.linux, 'linux'), '/home/a/.cache/docs-agent');
    deepStrictEqual(userCacheFolder({ XDG_CACHE_HOME: '/c' }, home.linux, 'linux'), '/c/docs-agent');
    deepStrictEqual(userCacheFolder({}, home.darwin, 'darwin'), '/Users/a/Library/Caches/docs-agent');
    deepStrictEqual(userCacheFolder({}, home.win32, 'win32'), 'C:\\Users\\a\\AppData\\Local\\docs-agent-cache');
  });
});
