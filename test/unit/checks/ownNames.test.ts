import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { hasOwnName, isCodeAt, isDefined, splitImports } from '../../../src/checks/ownNames';

const IDENTIFIER = { kind: 'identifier', isPlain: false } as const;

describe('a name that belongs to the code of this repository', () => {
  it('is distinguished from words in comments and sentences', () => {
    const code = ['attempts: number;', 'f(attempts)', 'x.attempts = 1', 'attempts,', "'attempts'"];
    const prose = ['// attempts: many', ' * attempts', 'log("too many attempts left")', '# attempts are made'];
    deepStrictEqual(
      [...code, ...prose].filter((line) => isCodeAt(line, 'attempts')),
      code,
    );
  });

  it('is one that a line declares, assigns, reads, or contains as a string', () => {
    const own = [
      'export function retryAll(times: number) {',
      'export const retryAll = (times) => times;',
      'public int retryAll(int times) {',
      'func (c *Client) retryAll(times int) error {',
      'pub fn retryAll<T>(times: T) {',
      '  retryAll(times) {',
      '  retryAll(times: number): void;',
      '  async retryAll(times) {',
      'def self.retryAll(times)',
      'this.retryAll = true',
      'if (options.retryAll) {',
      "option('retryAll')",
      'class A extends retryAll {',
    ];
    const foreign = [
      "import { retryAll } from 'p-retry';",
      'from retry import retryAll',
      "const { retryAll } = require('p-retry');",
      'await client.retryAll(3);',
      'const done = retryAll(3);',
      '  retryAll(3);',
      'return retryAll(3)',
      'throw new retryAll(3);',
      '// retryAll = 3',
      'start(); // see retryAll',
      'retryAllOfThem = 1',
    ];
    const has = (line: string): boolean => hasOwnName('src/a.ts', [line], 'retryAll', IDENTIFIER);
    deepStrictEqual([...own, ...foreign].filter(has), own);
  });

  it('can only be a function or a type in test helpers, and does not come from a test itself', () => {
    const has = (path: string, line: string): boolean => hasOwnName(path, [line], 'retryAll', IDENTIFIER);
    const helpers = [
      'test/helper.rb',
      'test/test_helper.rb',
      'tests/testutil.go',
      'src/test/java/Retries.java',
      'a-test/src/main/java/AbstractTests.java',
    ];
    const tests = [
      'test/a.test.ts',
      'tests/test_loop.py',
      'client_test.go',
      'spec/a_spec.rb',
      'src/test/java/ATests.java',
    ];
    for (const path of helpers) {
      deepStrictEqual([has(path, 'def retryAll(times)'), has(path, 'retryAll = 1')], [true, false], path);
    }
    for (const path of tests) {
      strictEqual(has(path, 'def retryAll(times)'), false, path);
    }
  });

  it('does not come from package lists, tool settings, or copies of other software', () => {
    for (const path of [
      'Cargo.toml',
      '.github/workflows/ci.yml',
      'tsconfig.build.json',
      'a/vite.config.ts',
      'vendor/a.go',
    ]) {
      strictEqual(hasOwnName(path, ['retryAll = 1'], 'retryAll', IDENTIFIER), false, path);
    }
  });

  it('can be an environment variable that tests or settings mention, but not one that only a code comment mentions', () => {
    const has = (path: string, line: string): boolean =>
      hasOwnName(path, [line], 'API_TOKEN', { kind: 'variable', isPlain: false });
    deepStrictEqual(
      [
        has('.env.example', '# API_TOKEN=secret'),
        has('test/a.ts', "process.env['API_TOKEN'] = '';"),
        has('.github/ci.yml', 'API_TOKEN: a'),
        has('src/a.ts', '// needs an API_TOKEN sometimes'),
        has('vendor/a.go', 'API_TOKEN = "a"'),
      ],
      [true, true, true, false, false],
    );
  });

  it('counts as defined where it is declared or gets a value', () => {
    const defined = ['class Retry {', 'Retry = 1', 'Retry: number', '"Retry": 1', 'Retry?: number', 'Retry := 1'];
    const used = ['run(Retry)', 'a: Retry', 'Retry == 1', 'Retry::run', 'Retry => 1'];
    deepStrictEqual(
      [...defined, ...used].filter((line) => isDefined([line], 'Retry')),
      defined,
    );
  });
});

describe('imports', () => {
  it('are distinguished from other lines, even if they span several lines', () => {
    const imports = [
      'import {',
      '  retry,',
      "} from 'p-retry';",
      'import a',
      'from b import (',
      '  c,',
      ')',
      'use x::{',
      'y',
      '};',
    ];
    const code = ['export function a() {', 'b();', '}', 'const useful = {', 'c', '};'];
    deepStrictEqual(splitImports([...imports, ...code]), { imports, code });
  });
});
