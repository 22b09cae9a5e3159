import js from '@eslint/js';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const src = './src';

/** Who may walk where: imports go down only (extension → client, storage → jobs → shared; extension → prompt → shared; service → jobs, prompt/secrets, shared; extension, service → git → shared). */
const zones = [
  { target: `${src}/shared`, from: src, except: ['./shared'] },
  { target: `${src}/client`, from: src, except: ['./client', './shared'] },
  { target: `${src}/jobs`, from: src, except: ['./jobs', './shared'] },
  { target: `${src}/prompt`, from: src, except: ['./prompt', './shared'] },
  { target: `${src}/git`, from: src, except: ['./git', './shared'] },
  { target: `${src}/storage`, from: src, except: ['./storage', './jobs', './shared'] },
  { target: `${src}/service`, from: src, except: ['./service', './git', './jobs', './prompt/secrets', './shared'] },
  { target: `${src}/extension`, from: `${src}/service` },
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
  'src/shared/util/processControl.ts',
  'src/shared/util/fileModes.ts',
  'src/shared/util/durability.ts',
  'src/git/programPaths.ts',
  'src/git/systemGit.ts',
  'src/service/dataFolder.ts',
  'src/service/agents/confinement.ts',
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
  { selector: 'Literal[raw=/^0o/i]', message: 'Modes of files stand in src/shared/util/fileModes.ts.' },
  {
    selector: "Property[key.name='mode'] > Literal[value>0]",
    message: 'Modes of files stand in src/shared/util/fileModes.ts.',
  },
  {
    selector: "ImportDeclaration[source.value='node:fs/promises'] > ImportSpecifier[imported.name=/^(chmod|rename)$/]",
    message: 'Use src/shared/util: fileModes for modes, and `move`, which Windows lets wait for other programs.',
  },
  {
    selector: "ImportDeclaration[source.value='node:fs'] > ImportSpecifier[imported.name=/^chmod(Sync)?$/]",
    message: 'Modes of files stand in src/shared/util/fileModes.ts.',
  },
  {
    selector: "ImportDeclaration[source.value='node:os'] > ImportSpecifier[imported.name=/^(platform|type|arch)$/]",
    message: 'What differs between systems stands behind a port: see “ports” in eslint.config.mjs.',
  },
];

const restricted = (paths) => ({ 'no-restricted-imports': ['error', { paths }] });

export default tseslint.config(
  { ignores: ['dist/', 'out/', '.cache/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx', '.mjs', '.js'] })] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowNullish: false }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // `Disposable` is a structural type here, in VS Code's API a class.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Index signatures are read with brackets (tsconfig: noPropertyAccessFromIndexSignature).
      '@typescript-eslint/dot-notation': 'off',
      // A sync method of an async port.
      '@typescript-eslint/require-await': 'off',
      // The entry uses `import vscode = require('vscode')`: a namespace import of CommonJS is copied member by member.
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      'max-lines': ['error', { max: 300 }],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'It may send a POST twice: use the client.' }],
      'no-warning-comments': 'error',
    },
  },
  {
    files: ['src/shared/**', 'src/client/**', 'src/git/**', 'src/service/**', 'src/storage/**'],
    rules: restricted([noVscode]),
  },
  {
    files: ['src/**'],
    ignores: ports,
    rules: { 'no-restricted-syntax': ['error', ...noSystem] },
  },
  { files: ['src/jobs/**', 'src/prompt/**'], rules: restricted([noVscode, ...noDisk]) },
  {
    files: ['src/extension/**'],
    ignores: ['src/extension/commands/register.ts', 'src/extension/contextKeys.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...noSystem,
        { selector: "MemberExpression[property.name='registerCommand']", message: 'Use commands/register.ts.' },
        { selector: "Literal[value='setContext']", message: 'Use contextKeys.ts.' },
      ],
    },
  },
  // A page in a browser: what the extension holds reaches it as messages only.
  {
    files: ['src/extension/views/jobPage/page/**'],
    rules: {
      ...restricted([noVscode, ...noDisk]),
      'no-restricted-syntax': [
        'error',
        ...noSystem,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text is drawn as text.' },
      ],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'no-restricted-globals': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A suite is a list of independent tests: splitting one for its length alone helps nobody.
      'max-lines': ['error', { max: 400 }],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
    },
  },
);
