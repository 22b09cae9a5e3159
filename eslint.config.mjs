import { readdirSync } from 'node:fs';
import * as parser from '@typescript-eslint/parser';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';

// Which file may use what. Everything else that a linter can tell is in .oxlintrc.json, which is much faster but can’t express this.

const src = './src';

/**
 * Imports go down only: team-service → local-service; local-service and extension → checks, jobs, client, git, prompt → base, protocol; inside the extension
 * features → sending → presentation → platform. A feature imports no other feature.
 */
const layers = ['platform', 'presentation', 'sending'];
const features = readdirSync(new URL('src/extension/features', import.meta.url));
const constants = ['./ids.ts', './settings.ts', './api.ts'];
const down = (folder, ...below) => ({
  target: `${src}/${folder}`,
  from: src,
  except: [folder, ...below].map((each) => `./${each}`),
});
const zones = [
  down('base', 'protocol'),
  down('protocol', 'base'),
  ...['client', 'git', 'jobs', 'prompt'].map((folder) => down(folder, 'base', 'protocol')),
  down('checks', 'git', 'base', 'protocol'),
  down('local-service', 'checks', 'client', 'git', 'jobs', 'prompt/secrets', 'base', 'protocol'),
  down('team-service', 'local-service', 'checks', 'client', 'git', 'jobs', 'prompt/secrets', 'base', 'protocol'),
  ...['local-service', 'team-service'].map((service) => ({ target: `${src}/extension`, from: `${src}/${service}` })),
  ...layers.map((layer, index) => ({
    target: `${src}/extension/${layer}`,
    from: `${src}/extension`,
    except: [...constants, ...layers.slice(0, index + 1).map((each) => `./${each}`)],
  })),
  ...features.map((feature) => ({
    target: `${src}/extension/features/${feature}`,
    from: `${src}/extension/features`,
    except: [`./${feature}`],
  })),
];

/** Ambient powers by folder: a path tells what a file cannot do. */
const noVscode = { name: 'vscode', message: 'Only src/extension knows the editor.' };
const noDisk = ['fs', 'fs/promises', 'node:fs', 'node:fs/promises', 'child_process', 'node:child_process'].map(
  (name) => ({
    name,
    message: 'This folder is pure: take a port instead.',
  }),
);

/** What differs between systems stands in these, with unit tests for each system. */
const ports = [
  'src/base/process.ts',
  'src/base/files.ts',
  'src/git/programPaths.ts',
  'src/local-service/dataFolder.ts',
  'src/local-service/agents/sandbox.ts',
];

const noSystem = [
  {
    selector: "MemberExpression[object.name='process'][property.name=/^(platform|arch|getuid|geteuid|umask)$/]",
    message: 'What differs between systems stands behind a port: see “ports” in eslint.config.mjs.',
  },
  {
    selector: "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='platform']",
    message: 'What differs between systems stands behind a port: see “ports” in eslint.config.mjs.',
  },
  { selector: 'Literal[raw=/^0o/i]', message: 'Modes of files stand in src/base/files.ts.' },
  {
    selector: "Property[key.name='mode'] > Literal[value>0]",
    message: 'Modes of files stand in src/base/files.ts.',
  },
  {
    selector: "ImportDeclaration[source.value='node:fs/promises'] > ImportSpecifier[imported.name=/^(chmod|rename)$/]",
    message: 'Use src/base/files.ts for modes, and `move`, which Windows lets wait for other programs.',
  },
  {
    selector: "ImportDeclaration[source.value='node:fs'] > ImportSpecifier[imported.name=/^chmod(Sync)?$/]",
    message: 'Modes of files stand in src/base/files.ts.',
  },
  {
    selector: "ImportDeclaration[source.value='node:os'] > ImportSpecifier[imported.name=/^(platform|type|arch)$/]",
    message: 'What differs between systems stands behind a port: see “ports” in eslint.config.mjs.',
  },
];

/** The restrictions of `src`, wherever a folder has more. */
const everywhere = [
  ...noSystem,
  {
    selector: "MemberExpression[object.name='z'][property.name=/^(min|max)?(length|size)$/i]",
    message: 'It throws for some foreign values: use src/base/lengthChecks.ts.',
  },
];

const restricted = (paths) => ({ 'no-restricted-imports': ['error', { paths }] });

export default [
  { ignores: ['dist/', 'out/', '.cache/', '**/*.mjs', '**/*.cjs'] },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parser },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { 'import-x': importX, regexp },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx'] })] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      // Much of the text that we read is foreign, and one pattern that backtracks can block a service for minutes.
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    files: [
      'src/{base,protocol,client,git,local-service,team-service}/**',
      'src/jobs/store/**',
      'src/checks/{process,repository}/**',
    ],
    rules: restricted([noVscode]),
  },
  {
    files: ['src/**'],
    ignores: ports,
    rules: { 'no-restricted-syntax': ['error', ...everywhere] },
  },
  {
    files: ['src/jobs/*.ts', 'src/prompt/**', 'src/checks/**'],
    ignores: ['src/checks/{process,repository}/**'],
    rules: restricted([noVscode, ...noDisk]),
  },
  {
    files: ['src/extension/**'],
    ignores: ['src/extension/registerCommands.ts', 'src/extension/platform/contextKeys.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        { selector: "MemberExpression[property.name='registerCommand']", message: 'Use registerCommands.ts.' },
        { selector: "Literal[value='setContext']", message: 'Use contextKeys.ts.' },
      ],
    },
  },
  // A page in a browser: what the extension holds reaches it as messages only.
  {
    files: ['src/extension/features/job-page/page/**'],
    rules: {
      ...restricted([noVscode, ...noDisk]),
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text is drawn as text.' },
      ],
    },
  },
];
