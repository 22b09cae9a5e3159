import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { CONTEXT_KEYS, EXTENSION_ID, STEPS, UNLISTED_COMMANDS, WALKTHROUGH } from '../../../src/extension/ids';
import { holds } from './when';

interface Step {
  id: string;
  title: string;
  description: string;
  media: { svg: string; altText: string };
  completionEvents: string[];
}

interface Setting {
  markdownDescription: string;
  enum?: string[];
  enumDescriptions?: string[];
}

interface Manifest {
  contributes: {
    commands: { command: string }[];
    viewsWelcome: { view: string; contents: string; when: string }[];
    walkthroughs: { id: string; steps: Step[] }[];
    configuration: { title: string; order: number; properties: Record<string, Setting> }[];
  };
}

const place = (name: string): URL => new URL(`../../../${name}`, import.meta.url);
const { contributes } = JSON.parse(readFileSync(place('package.json'), 'utf8')) as Manifest;
const texts = JSON.parse(readFileSync(place('package.nls.json'), 'utf8')) as Record<string, string>;
const textOf = (placeholder: string): string => texts[placeholder.replaceAll('%', '')] ?? placeholder;
const commands = new Set([...contributes.commands.map(({ command }) => command), ...UNLISTED_COMMANDS]);

/** Context of a window that is set up for a hosted service, with the given changes. */
const context = (
  change: Record<string, string | boolean | number> = {},
): Record<string, string | boolean | number> => ({
  'config.docsAgent.service': 'hosted',
  'docsAgent.listEmpty': true,
  'docsAgent.setup': 'ready',
  isWorkspaceTrusted: true,
  workspaceFolderCount: 1,
  'git.state': 'initialized',
  gitOpenRepositoryCount: 1,
  ...change,
});
const local = { 'config.docsAgent.service': 'local', 'docsAgent.setup': 'local' };

const STATES: [string, Record<string, string | boolean | number>][] = [
  ['nothing', { 'docsAgent.setup': 'nothing' }],
  ['keyMissing', { 'docsAgent.setup': 'keyMissing' }],
  ['ready', {}],
  ['readyNoFolder', { workspaceFolderCount: 0 }],
  ['filtered', { 'docsAgent.listFiltered': true }],
  ['filtered', { ...local, 'docsAgent.listFiltered': true }],
  ['removed', { 'docsAgent.listRemoved': true, 'docsAgent.setup': 'nothing' }],
  ['removed', { 'docsAgent.listRemoved': true, 'docsAgent.listFiltered': true }],
  ['localReady', local],
  ['localReady', { ...local, gitOpenRepositoryCount: 0, 'git.parentRepositoryCount': 1 }],
  ['localReady', { ...local, gitOpenRepositoryCount: 0, 'git.state': '' }],
  ['localRemote', { ...local, 'docsAgent.setup': 'localElsewhere' }],
  [
    'localUntrusted',
    { ...local, 'docsAgent.setup': 'localUntrusted', isWorkspaceTrusted: false, workspaceFolderCount: 0 },
  ],
  ['localNoFolder', { ...local, workspaceFolderCount: 0 }],
  ['localNoRepository', { ...local, gitOpenRepositoryCount: 0, 'docsAgent.agentMissing': true }],
  ['localNoAgent', { ...local, 'docsAgent.agentMissing': true }],
];

describe('empty job list', () => {
  for (const [name, change] of STATES) {
    it(`shows only the message “${name}” with ${JSON.stringify(change)}`, () => {
      const shown = contributes.viewsWelcome.filter(({ when }) => holds(when, context(change)));
      deepStrictEqual(
        shown.map(({ contents }) => contents),
        [`%welcome.${name}%`],
      );
    });
  }

  for (const unknown of ['docsAgent.listEmpty', 'docsAgent.setup']) {
    it(`shows nothing about the setup until ${unknown} is set`, () => {
      for (const [name, change] of STATES) {
        for (const isWorkspaceTrusted of [true, false]) {
          const state = { ...context(change), isWorkspaceTrusted, [unknown]: '' };
          const shown = contributes.viewsWelcome.filter(({ when }) => holds(when, state));
          const isFilter = unknown === 'docsAgent.setup' && (name === 'filtered' || name === 'removed');
          strictEqual(shown.length, isFilter ? 1 : 0, JSON.stringify(state));
        }
      }
    });
  }

  it('does not ask for workspace trust that was granted before the extension noticed', () => {
    const state = context({ ...local, 'docsAgent.setup': 'localUntrusted' });
    ok(!contributes.viewsWelcome.some(({ when }) => holds(when, state)));
  });

  it('has a message with a valid next step for every state', () => {
    deepStrictEqual(
      contributes.viewsWelcome.map(({ contents }) => contents).toSorted(),
      [...new Set(STATES.map(([name]) => `%welcome.${name}%`))].toSorted(),
    );
    for (const { contents } of contributes.viewsWelcome) {
      match(textOf(contents), /\n\[[^\]]+\]\(command:[^)]+\)(\n|$)/, contents);
      expectCommands(textOf(contents));
    }
  });
});

describe('walkthrough', () => {
  const [walkthrough] = contributes.walkthroughs;
  ok(walkthrough !== undefined);

  it('is the one that the empty job list opens', () => {
    const [, target = ''] = /openWalkthrough\?([^)]+)\)/.exec(texts['welcome.nothing'] ?? '') ?? [];
    strictEqual(decodeURIComponent(target), JSON.stringify(`${EXTENSION_ID}#${walkthrough.id}`));
  });

  it('has the steps that the code completes', () => {
    strictEqual(walkthrough.id, WALKTHROUGH);
    deepStrictEqual(
      walkthrough.steps.map(({ id, completionEvents }) => [id, completionEvents[0]?.split(/[: ]/)[1]]),
      Object.entries(STEPS).map(([name, id]) => [id, CONTEXT_KEYS[name as keyof typeof STEPS]]),
    );
  });

  for (const { id, description, media, completionEvents } of walkthrough.steps) {
    it(`has a small themed image, alternative text and valid completion events for ${id}`, () => {
      ok(existsSync(place(media.svg)) && statSync(place(media.svg)).size < 3000);
      const picture = readFileSync(place(media.svg), 'utf8');
      match(picture, /var\(--vscode-/);
      ok(!/#[0-9a-f]{3,8}\b|rgb\(|<script|<text|href/i.test(picture), 'no colour, word or link of its own');
      ok(textOf(media.altText).length > 20);
      const keys = new Set<string>(Object.values(CONTEXT_KEYS));
      ok(completionEvents.every((event) => keys.has(/^onContext:([\w.]+) && /.exec(event)?.[1] ?? '')));
      expectCommands(textOf(description));
    });

    // The editor never completes a step on an event that is already true when it reads the walkthrough.
    it(`completes ${id} once the user moves elsewhere, wherever the walkthrough was opened`, () => {
      const clauses = completionEvents.map((event) => event.replace('onContext:', ''));
      const [key = ''] = clauses[0]?.split(' ') ?? [];
      const held = (state: Record<string, string | boolean>): string[] =>
        clauses.filter((clause) => holds(clause, { [key]: true, ...state }));
      const [away, here] = [held({}), held({ activeEditor: 'gettingStartedPage' })];
      ok(away.length > 0 && here.length > 0);
      ok(away.every((clause) => !here.includes(clause)));
      ok(held({ activeEditor: 'gettingStartedPage', inQuickOpen: true }).length > here.length);
      ok(clauses.every((clause) => !holds(clause, { activeEditor: 'gettingStartedPage', inQuickOpen: true })));
    });
  }
});

describe('settings', () => {
  const all = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));

  it('are in ordered groups', () => {
    deepStrictEqual(
      contributes.configuration.map(({ order }) => order),
      contributes.configuration.map((_, index) => index + 1),
    );
  });

  for (const [name, { markdownDescription, ...setting }] of all) {
    it(`include a description for ${name} that names only existing settings`, () => {
      const text = textOf(markdownDescription);
      ok(text.length > 40, text);
      for (const [, other] of text.matchAll(/`#([^#`]+)#`/g)) {
        ok(
          all.some(([each]) => each === other),
          other,
        );
      }
      strictEqual(setting.enumDescriptions?.length, setting.enum?.length);
    });
  }
});

/** Checks that each of our commands named in the text exists and that its argument is JSON. */
function expectCommands(text: string): void {
  for (const [, command = '', argument] of text.matchAll(/\(command:([\w.]+)(?:\?([^)]*))?\)/g)) {
    ok(!command.startsWith('docsAgent.') || command === 'docsAgent.jobs.focus' || commands.has(command), command);
    ok(argument === undefined || JSON.parse(decodeURIComponent(argument)) !== null);
  }
}
