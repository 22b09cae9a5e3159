import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { namesOnPage } from '../../../src/checks/collectNames';
import { classify, wordsOf } from '../../../src/checks/names';
import { hasOwnName, isCodeAt, isComment, isDefined, splitImports, declares } from '../../../src/checks/ownNames';
import { seed } from '../../support/scale';

const kinds = (span: string) => classify(span).map(({ kind, name }) => `${kind} ${name}`);

describe('a name in code font', () => {
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    maxRetryCount: ['identifier maxRetryCount'],
    'fetchAll()': ['identifier fetchAll'],
    'new HttpClient(options)': ['identifier HttpClient'],
    '<CardGroup cols={2}>': ['identifier CardGroup'],
    '--retry-max': ['flag --retry-max'],
    '--retry-max=3': ['flag --retry-max'],
    '--retry-max <count>': ['flag --retry-max'],
    '--web.listen-address': ['flag --web.listen-address'],
    '--retry-max 3 --keep-going': ['flag --retry-max', 'flag --keep-going'],
    API_TOKEN: ['variable API_TOKEN'],
    '${API_TOKEN}': ['variable API_TOKEN'],
    'config.retries': ['keyPath config.retries'],
    'client.send(request)': ['keyPath client.send'],
    'std::collections::HashMap': ['keyPath std::collections::HashMap'],
    'src/client.ts': ['file src/client.ts'],
    './src/client/': ['file src/client/'],
    'client.ts': ['file client.ts'],
    'API_TOKEN=1 tool run --dry-run-all x': ['variable API_TOKEN', 'flag --dry-run-all'],
    retries: ['identifier retries'],
    'old:command': ['identifier old:command'],
    'rake old_task': ['identifier old_task'],
    'gradle -x oldTask': ['identifier oldTask'],
    'tool run-all --fast-mode src/a.ts': ['identifier run-all', 'flag --fast-mode', 'file src/a.ts'],
    'app.filter.old-kebab-name.headers': ['keyPath app.filter.old-kebab-name.headers'],
    'load<T>(x: T): Promise<T>': ['identifier load'],
    'load(a: A): B': ['identifier load'],
    'OldType[]': ['identifier OldType'],
    'OldType<T>': ['identifier OldType'],
    'old_key = 1': ['identifier old_key'],
    'oldKey: true': ['identifier oldKey'],
    '{{.OldField}}': ['identifier OldField'],
    '#[old_attr]': ['identifier old_attr'],
    '~pkg.Gone': ['keyPath pkg.Gone'],
  };
  for (const [span, expected] of Object.entries(NAMES)) {
    it(`is recognized in ${span}`, () => deepStrictEqual(kinds(span), expected));
  }

  const NOTHING = ['true', 'npm', 'ab', '404', 'GET', 'v1.2.3', 'example.com', 'https://a.b/c', '@scope/name', '1 + 1'];
  for (const span of [...NOTHING, '...', '--help', '-x', '', ' ', '{ a: 1 }', 'text/plain', '*.md', '../a.ts']) {
    it(`is not found in ${JSON.stringify(span)}`, () => deepStrictEqual(kinds(span), []));
  }

  it('has its exact position in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('aB_-.:/$ (){}<>="3')) }), (span) => {
        for (const { name, offset } of classify(span)) {
          strictEqual(span.slice(offset, offset + name.length), name);
        }
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it('is searched for in each notation in which code may declare a flag', () => {
    const [flag] = classify('--no-retry-max');
    const found = ['no-retry-max', 'retry-max', 'retryMax', 'retry_max', 'RETRY_MAX', 'noRetryMax'];
    deepStrictEqual(
      found.filter((word) => flag?.groups[0]?.includes(word) !== true),
      [],
    );
  });

  it('is searched for in other notations if it has hyphens, and as an instance if it is a type', () => {
    const forms = (span: string) => classify(span).flatMap(({ groups }) => groups.map((group) => group.join(' ')));
    deepStrictEqual(forms('device-id'), ['device-id device_id deviceId DeviceId DEVICE_ID']);
    deepStrictEqual(forms('HttpClient'), ['HttpClient httpClient']);
    deepStrictEqual(forms('Client'), ['Client']);
    deepStrictEqual(forms('mark.MARK_NAME.with_args'), ['with_args']);
    deepStrictEqual(forms('--web.listen-address').length, 2);
  });

  it('includes the program or module that it belongs to', () => {
    const owner = (span: string) => classify(span)[0]?.owner;
    deepStrictEqual(
      ['git add --patch', '$ docker run --rm-all', 'tool run --fast', 'unittest.TestCase', 'config.retries'].map(owner),
      ['git', 'docker', undefined, 'unittest', undefined],
    );
  });
});

describe('the words of code', () => {
  it('include hyphenated words, whole and in parts', () => {
    deepStrictEqual(wordsOf('option("--retry-max", $value)'), ['option', 'retry-max', 'retry', 'max', 'value']);
  });
});

const IDENTIFIER = { kind: 'identifier', isPlain: false } as const;

describe('a name that belongs to the code of this repository', () => {
  it('is distinguished from words in comments and sentences', () => {
    const code = ['attempts: number;', 'f(attempts)', 'x.attempts = 1', 'attempts,', "'attempts'"];
    const prose = ['// attempts: many', ' * attempts', 'log("too many attempts left")', '# attempts are made'];
    deepStrictEqual(
      [...code, ...prose].filter((line) => {
        const at = line.indexOf('attempts');
        return !isComment(line, at) && isCodeAt(line, at, at + 'attempts'.length);
      }),
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

describe('a name in other code', () => {
  it('must have been declared by the code', () => {
    const declared = [
      'def retryAll(times)',
      'class retryAll:',
      '  retryAll: number;',
      'func f(retryAll int) {',
      '"retryAll": 1',
    ];
    const used = ['run(retryAll=1)', '    retryAll=1,', 'x.retryAll', "if (name == 'retryAll')", '// retryAll: 1'];
    deepStrictEqual(
      [...declared, ...used].filter((line) => declares([line], 'retryAll', false)),
      declared,
    );
    const words = ['def retry(times)', 'class retry:', 'retry: 1', 'func f(retry int) {'];
    deepStrictEqual(
      words.filter((line) => declares([line], 'retry', false)),
      words.slice(0, 2),
    );
    const flags = ["option('--retry-all')", 'flag.Int("retry-all", 1)', '--retry-all', 'x - retry-all'];
    deepStrictEqual(
      flags.filter((line) => declares([line], 'retry-all', true)),
      flags.slice(0, 3),
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

function names(example: string, text: string): string[] {
  const page = `Start:\n\n\`\`\`\n${example}\n\`\`\`\n\n${text}\n`;
  return namesOnPage(page, 'docs/a.md', () => false)
    .filter(({ source }) => source === 'span')
    .map(({ name }) => name.name);
}

describe('the names in a code block', () => {
  const BLOCKS: Readonly<Record<string, [language: string, code: string, names: string[]]>> = {
    'a command': [
      'sh',
      '# --old-one\n$ tool run --fast-mode=3 \\\n  --dry-all "a --not-this b"\nprints --not-that',
      ['--fast-mode', '--dry-all'],
    ],
    'a task, and a file': [
      'bash',
      'APP_TOKEN=x make old-target && node scripts/a.js',
      ['APP_TOKEN', 'old-target', 'scripts/a.js'],
    ],
    settings: [
      'yaml',
      '# old_key: 1\nold_key:\n  plain: APP_TOKEN\n  - maxAge: 1\n    args: ["--old-flag=x"]',
      ['old_key', 'APP_TOKEN', 'maxAge', '--old-flag'],
    ],
    'a section': ['toml', '[tool.old_part]\nmax-size = 3', ['tool.old_part', 'max-size']],
    JSON: ['json', '{ "maxAge": 1, "b": { "oldKey": true } }', ['maxAge', 'oldKey']],
    code: [
      'ts',
      "// oldName\nimport { A as myAlias } from 'x';\nconst my_own = loadAll(a.oldField, 'a oldText b'); // oldName\nmyAlias(my_own as OldType);",
      ['loadAll', 'oldField', 'OldType'],
    ],
    'a session': ['pycon', '>>> load_all()\nprinted_text', ['load_all']],
    'a change': ['diff', '-old_name()\n+new_name()', ['new_name']],
    output: ['text', 'old_name --old-flag', []],
  };
  for (const [form, [language, code, expected]] of Object.entries(BLOCKS)) {
    it(`are found with exact places, but not what is declared, printed, or said there: ${form}`, () => {
      const page = `- Item:\n\n  \`\`\`${language}\n${code.replace(/^/gm, '  ')}\n  \`\`\`\n`;
      const found = namesOnPage(page, 'docs/a.md', () => false);
      deepStrictEqual(found.map(({ name }) => name.name).sort(), [...expected].sort());
      for (const { source, line, column, endColumn, name } of found) {
        strictEqual(page.split('\n')[line - 1]?.slice(column - 1, endColumn - 1), name.name);
        deepStrictEqual([source, name.inCommand], ['block', true]);
      }
    });
  }
});

describe('the role of a name', () => {
  const roleIn = (text: string, path = 'docs/a.md') =>
    namesOnPage(text, path, () => false).map(({ name }) => name.role);

  it('is what the page says it is', () => {
    const ROLES: Readonly<Record<string, string>> = {
      '`load()`': 'function',
      '`HttpClient`': 'type',
      '`max_retries`': 'any',
      '`--retry-max`': 'flag',
      '`API_TOKEN`': 'variable',
      '`src/a.ts`': 'file',
      '`rake old_task`': 'command',
      '`db:migrate`': 'command',
      '| Option | |\n| --- | --- |\n| `retries` | x |': 'key',
      '| Result | |\n| --- | --- |\n| `retries` | x |': 'any',
      '```yaml\nmax_retries: 1\n```': 'key',
    };
    for (const [text, role] of Object.entries(ROLES)) {
      deepStrictEqual(roleIn(text), [role], text);
    }
    deepStrictEqual(roleIn(':func:`x.load`, :class:`x.y_z`, :confval:`max_x`', 'a.rst'), ['function', 'type', 'key']);
    deepStrictEqual(roleIn('<ParamField path="maxAge">', 'a.mdx'), ['key']);
  });
});

describe('the names on a page', () => {
  it('exclude what an example declares, and the parameters of its functions', () => {
    const example =
      'async def listen_to_all(app, *, max_retries=3):\n    pass\n\nconst firstClient = run(secondClient);';
    const text = 'The task `listen_to_all` takes `max_retries`, `firstClient` and `secondClient`.';
    deepStrictEqual(names(example, text), ['secondClient']);
  });

  it('include what an example only uses, or shows as an interface', () => {
    const example = 'const x = { max_retries: 3 };\ninterface RetryOptions {}\nfn start(options: StartOptions) {}';
    const text = 'Pass `max_retries` of `RetryOptions` or `StartOptions`, or `--options`.';
    deepStrictEqual(names(example, text), ['max_retries', 'RetryOptions', 'StartOptions', '--options']);
  });

  it('include methods that an example declares, which often implement an interface', () => {
    const example = 'class Own:\n    def process_item(self, spider_name):\n\nfn read_all(&mut self, max_bytes: u64) {}';
    const text = 'Declare `process_item`, `spider_name`, `read_all` and `max_bytes`.';
    deepStrictEqual(names(example, text), ['process_item', 'spider_name', 'read_all', 'max_bytes']);
  });

  it('include declarations in the text itself', () => {
    deepStrictEqual(names('run();', 'Call `function retryAll()`, `def retry_all` or `class RetryAll`.'), [
      'retryAll',
      'retry_all',
      'RetryAll',
    ]);
  });
});
