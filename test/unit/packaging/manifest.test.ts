import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import {
  COMMANDS,
  CONTEXT_KEYS,
  EXTENSION_ID,
  SETTINGS,
  SETTINGS_SECTION,
  UNLISTED_COMMANDS,
  VIEWS,
} from '../../../src/extension/ids';
import { KNOWN_AGENTS } from '../../../src/local-service/agents/knownAgents';
import { RELEASES } from '../../support/vscode/release';

interface Property {
  scope: string;
  ignoreSync?: boolean;
  enum?: string[];
  enumItemLabels?: string[];
}

interface Manifest {
  name: string;
  publisher: string;
  activationEvents: string[];
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    commands: { command: string; title: string }[];
    views: Record<string, { id: string }[]>;
    menus: Record<string, { command: string; when?: string }[]>;
    viewsWelcome: { when?: string }[];
    walkthroughs: { steps: { when?: string }[] }[];
    configuration: { properties: Record<string, Property> }[];
  };
}

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;

const properties = Object.assign({}, ...manifest.contributes.configuration.map((group) => group.properties)) as Record<
  string,
  Property
>;

describe('package.json and the code', () => {
  it('name the same extension', () => {
    strictEqual(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
  });

  it('declare the same commands', async () => {
    const features = new URL('../../../src/extension/features/', import.meta.url);
    const tables = readdirSync(features).map((feature) => new URL(`${feature}/commands.ts`, features));
    const modules = tables.filter((file) => existsSync(file)).map((file) => import(file.href) as Promise<object>);
    const handled = (await Promise.all(modules)).flatMap((module) =>
      Object.entries(module).flatMap(([name, build]) =>
        name.endsWith('Commands') ? Object.keys((build as (parts: object) => object)({})) : [],
      ),
    );
    // The first is the composition root's.
    deepStrictEqual(
      [COMMANDS.showLog, ...handled].toSorted(),
      [...manifest.contributes.commands.map(({ command }) => command), ...UNLISTED_COMMANDS].toSorted(),
    );
    const known = new Set([COMMANDS.showLog, ...handled]);
    deepStrictEqual(
      Object.values(COMMANDS).filter((command) => !known.has(command)),
      [],
      'commands that code runs or links to',
    );
  });

  it('declare the same settings and views', () => {
    const settings = Object.values(SETTINGS).map((name) => `${SETTINGS_SECTION}.${name}`);
    deepStrictEqual(Object.keys(properties).toSorted(), settings.toSorted());
    const views = Object.values(manifest.contributes.views).flat();
    deepStrictEqual(
      views.map(({ id }) => id),
      Object.values(VIEWS),
    );
  });

  it('offer the same coding agents', () => {
    const { enum: names = [], enumItemLabels: titles = [] } = properties['docsAgent.local.agent'] ?? {};
    const known = KNOWN_AGENTS.map(({ name, title }) => [name, title]);
    deepStrictEqual(
      names.map((name, index) => [name, titles[index]]).filter(([name = '']) => !['auto', 'custom'].includes(name)),
      known,
    );
  });

  it('let no workspace decide where a key is sent or which program runs', () => {
    for (const name of ['service', 'baseUrl', ...Object.values(SETTINGS).filter((each) => each.startsWith('local.'))]) {
      strictEqual(properties[`docsAgent.${name}`]?.scope, 'application', name);
    }
  });

  it('exclude machine-specific settings from sync', () => {
    // The other settings are user preferences, which are the same on every machine.
    const synced = [
      'projectId',
      'promptTemplates',
      'codeActionTriggers',
      'codeActions',
      'followUps.whileRunning',
      'instructions',
      'notifications',
    ];
    deepStrictEqual(
      Object.values(SETTINGS)
        .filter((name) => properties[`${SETTINGS_SECTION}.${name}`]?.ignoreSync !== true)
        .toSorted(),
      synced.toSorted(),
    );
  });

  it('refer in `when` clauses only to those of our context keys that the code sets', () => {
    const known = new Set<string>([
      ...Object.values(CONTEXT_KEYS),
      ...Object.values(VIEWS),
      ...Object.values(SETTINGS).map((name) => `${SETTINGS_SECTION}.${name}`),
    ]);
    const { menus, viewsWelcome, walkthroughs } = manifest.contributes;
    const steps = walkthroughs.flatMap((each) => each.steps);
    const clauses = [...Object.values(menus).flat(), ...viewsWelcome, ...steps].map(({ when }) => when ?? '');
    const named = clauses.flatMap((when) => when.match(/docsAgent\.[\w.]+/g) ?? []);
    deepStrictEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
    ok(named.length > 0);
  });

  it('agree on the oldest supported editor', () => {
    // Compiling against the types of that release ensures that newer API is only used behind a check.
    strictEqual(`^${manifest.devDependencies['@types/vscode'] ?? ''}`, manifest.engines.vscode);
    strictEqual(`^${RELEASES.oldest.version.replace(/\d+$/, '0')}`, manifest.engines.vscode, 'and tests run on it');
  });
});
