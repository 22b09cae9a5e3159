import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../src/checks/finding';
import { checkPages } from '../../support/runCheck';
import { git, temporaryFolder } from '../../support/temporaryRepository';

type Files = Readonly<Record<string, string | undefined>>;

interface Case {
  name: string;
  /** One entry a commit; undefined removes a file. */
  commits: readonly [Files, ...Files[]];
  finds: readonly string[];
}

const FLAGS = "add('--width', '--color', '--force');\n";

const CASES: readonly Case[] = [
  {
    name: 'no name that the code assembles now from its beginning',
    commits: [
      { 'a.ts': 'read(process.env.MY_APP_SEED_PATH);\n', 'a.md': 'Set `MY_APP_SEED_PATH`.\n' },
      { 'a.ts': "env('MY_APP_SEED_', ['path']);\n" },
    ],
    finds: [],
  },
  {
    name: 'no variable whose prefix a library adds now',
    commits: [
      { 'a.go': 'os.Getenv("MY_APP_TOKEN")\n', 'a.md': 'Set `MY_APP_TOKEN`.\n' },
      { 'a.go': 'viper.SetEnvPrefix("MY_APP")\n' },
    ],
    finds: [],
  },
  {
    name: 'no file that was removed and added again, even if it isn’t code',
    commits: [
      { 'src/assets/logo.png': 'x', 'docs/build.mjs': 'x' },
      { 'src/assets/logo.png': undefined, 'docs/build.mjs': undefined, 'a.ts': 'x' },
      {
        'src/assets/logo.png': 'x',
        'docs/build.mjs': 'x',
        'README.md': 'See `src/assets/logo.png` and `docs/build.mjs`.\n',
      },
    ],
    finds: [],
  },
  {
    name: 'a name that a test in Go only requires',
    commits: [
      {
        'a.go': 'type Config struct {\n\tToken string `env:"OLD_SERVICE_TOKEN,notEmpty"`\n}\n',
        'a_test.go': 'require.EqualError(t, run(), "OLD_SERVICE_TOKEN is empty")\n',
        'a.md': 'Set `OLD_SERVICE_TOKEN`.\n',
      },
      { 'a.go': 'type Config struct {\n\tToken string `env:"SERVICE_TOKEN"`\n}\n', 'a_test.go': 'x\n' },
    ],
    finds: ['certain gone-name OLD_SERVICE_TOKEN'],
  },
  {
    name: 'a flag whose word the code uses for something else',
    commits: [
      { 'a.ts': `${FLAGS}const force = 1;\n`, 'a.md': 'Use `--force`, `--width`, or `--color`.\n' },
      { 'a.ts': "add('--width', '--color');\nconst force = 1;\n" },
    ],
    finds: ['certain gone-name --force'],
  },
  {
    name: 'no flag if the other flags of the page can’t be found either',
    commits: [
      { 'a.ts': `${FLAGS}const force = 1;\n`, 'a.md': 'Use `--force`, `--width`, or `--color`.\n' },
      { 'a.ts': 'const [force, width, color] = flags();\n' },
    ],
    finds: [],
  },
  {
    name: 'a name that only a comment still has',
    commits: [
      { 'a.ts': 'export function retryAll() {}\n', 'a.md': 'Call `retryAll()`.\n' },
      { 'a.ts': '// retryAll was too slow\nexport function run() {}\n' },
    ],
    finds: ['certain gone-name retryAll'],
  },
  {
    name: 'a member of an enumeration, and a key in the tag of a field',
    commits: [
      {
        'a.cs': 'enum Stage {\n  MainWarmup,\n}\n',
        'a.go': '\tSize int `yaml:"cache_size"`\n',
        'a.md': 'See `MainWarmup` and `cache_size`.\n',
      },
      { 'a.cs': 'enum Stage {\n  Warmup,\n}\n', 'a.go': '\tSize int `yaml:"cache_bytes"`\n' },
    ],
    finds: ['certain gone-name MainWarmup', 'certain gone-name cache_size'],
  },
  {
    name: 'a common word as a field, but not as a variable',
    commits: [
      {
        'a.ts': 'interface Options {\n  attempts: number;\n}\nconst rows = 1;\n',
        'a.md': 'Set `attempts`, see `rows`.\n',
      },
      { 'a.ts': 'interface Options {\n  maxAttempts: number;\n}\n' },
    ],
    finds: ['certain gone-name attempts'],
  },
  {
    name: 'a name that may have moved to a package as likely',
    commits: [
      { 'a.ts': 'export class OldStore {}\n', 'package.json': '{}\n', 'a.md': 'Use `OldStore`.\n' },
      { 'a.ts': undefined, 'b.ts': 'x\n', 'package.json': '{ "dependencies": { "store": "1" } }\n' },
    ],
    finds: ['likely gone-name OldStore'],
  },
  {
    name: 'a name on pages of every ending',
    commits: [
      {
        'a.ts': 'export function retryAll() {}\n',
        'a.qmd': 'Call `retryAll()`.\n',
        'b.mdoc': 'Call `retryAll()`.\n',
        'c.asc': 'Call `retryAll()`.\n',
      },
      { 'a.ts': 'export function run() {}\n' },
    ],
    finds: Array.from({ length: 3 }, () => 'certain gone-name retryAll'),
  },
  {
    name: 'names in examples, and what a page documents',
    commits: [
      {
        'a.py': 'class OldSession:\n    def open_all(self):\n        pass\n',
        'a.md': '```python\nsession.open_all()\n```\n',
        'b.rst': '.. autoclass:: a.OldSession\n',
      },
      { 'a.py': 'class Session:\n    def open(self):\n        pass\n' },
    ],
    finds: ['certain gone-name a.OldSession', 'certain gone-name open_all'],
  },
  {
    name: 'a default that a definition has no longer',
    commits: [
      { 'a.ts': 'const defaults = {\n  maxRetries: 3,\n};\n', 'a.md': '- `maxRetries`: how often (default: `3`)\n' },
      { 'a.ts': 'const defaults = {\n  maxRetries: 5,\n};\n' },
    ],
    finds: ['certain changed-default maxRetries 3 5'],
  },
  {
    name: 'no default that another definition still has',
    commits: [
      {
        'a.ts': 'const defaults = {\n  maxRetries: 3,\n};\n',
        'b.ts': 'const others = {\n  maxRetries: 3,\n};\n',
        'a.md': '- `maxRetries`: how often (default: `3`)\n',
      },
      { 'a.ts': 'const defaults = {\n  maxRetries: 5,\n};\n' },
    ],
    finds: [],
  },
];

async function repositoryOf(commits: readonly Files[]): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet');
  for (const [index, files] of commits.entries()) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await (text === undefined ? rm(file) : writeFile(file, text));
    }
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', `Change ${index}`);
  }
  return folder;
}

function summary(finding: Finding): string {
  const { certainty, rule } = finding;
  const said = rule === 'changed-default' ? ` ${finding.documented} ${finding.current}` : '';
  return `${certainty} ${rule} ${'name' in finding ? finding.name : ''}${said}`;
}

describe('what pages say and the code no longer has', () => {
  for (const { name, commits, finds } of CASES) {
    it(`is ${name}`, async () => {
      const { findings } = await checkPages([await repositoryOf(commits)]);
      deepStrictEqual(findings.map(summary).toSorted(), finds);
    });
  }
});
