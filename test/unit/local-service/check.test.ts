import { deepStrictEqual, match, ok, throws } from 'node:assert/strict';
import { checkUsage, parseCheckCommandLine } from '../../../src/local-service/check/checkCommandLine';
import { describeCoverage } from '../../../src/checks/describeCoverage';
import { userFolder } from '../../../src/local-service/dataFolder';
import { UsageError } from '../../../src/local-service/options';
import { coverage } from '../../support/findings';

describe('the command line of a check', () => {
  it('has usable defaults', () => {
    deepStrictEqual(parseCheckCommandLine([]), {
      folder: '.',
      range: undefined,
      code: [],
      all: false,
      sarif: undefined,
      codeQuality: undefined,
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
    const usage = checkUsage('docs-agent check');
    match(usage, /^Usage: docs-agent check .*--no-cache .*Exit codes: 0 .*, 1 .*, 2 /s);
    ok(usage.split('\n').every((line) => line.length <= 120));
  });
});

describe('the output of a check', () => {
  it('says what was not checked', () => {
    match(
      describeCoverage({ ...coverage(2, 'shallow'), leftOut: 3, links: 2 }),
      /^Checked 1 name, 2 links, and 0 defaults on 2 pages\. Left out: 3 pages about the past, such as changelogs\. The clone is shallow: .*git fetch --unshallow/,
    );
  });
});

describe('the cache folder', () => {
  it('is where the system keeps such files', () => {
    const home = { linux: '/home/a', darwin: '/Users/a', win32: 'C:\\Users\\a' };
    deepStrictEqual(userFolder('cache', {}, home.linux, 'linux'), '/home/a/.cache/docs-agent');
    deepStrictEqual(userFolder('cache', { XDG_CACHE_HOME: '/c' }, home.linux, 'linux'), '/c/docs-agent');
    deepStrictEqual(userFolder('cache', {}, home.darwin, 'darwin'), '/Users/a/Library/Caches/docs-agent');
    deepStrictEqual(userFolder('cache', {}, home.win32, 'win32'), 'C:\\Users\\a\\AppData\\Local\\docs-agent-cache');
  });
});
