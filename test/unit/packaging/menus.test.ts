import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMANDS } from '../../../src/extension/ids';
import { holds } from './when';

interface Entry {
  command?: string;
  submenu?: string;
  when?: string;
  group?: string;
}

interface Manifest {
  contributes: {
    commands: { command: string; icon?: string }[];
    submenus: { id: string; label: string }[];
    menus: Record<string, Entry[]>;
  };
}

const { contributes } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Manifest;
const menus = Object.entries(contributes.menus);
const submenus = contributes.submenus.map(({ id }) => id);

/** Menus that we contribute to, except the command palette. */
const GUEST = menus.filter(([name]) => name !== 'commandPalette');

/** Commands that can do nothing without an argument. */
const NEED_ARGUMENT = [COMMANDS.sendNow, COMMANDS.editAndSend, COMMANDS.discardPrompt];

/** The commands that the palette offers. */
function inPalette(context: Parameters<typeof holds>[1]): string[] {
  const entries = contributes.menus['commandPalette'] ?? [];
  return contributes.commands
    .map(({ command }) => command)
    .filter((command) => entries.every((entry) => entry.command !== command || holds(entry.when ?? '', context)));
}

describe('menus', () => {
  it('have a condition on every entry', () => {
    const always = GUEST.flatMap(([name, entries]) =>
      entries.filter(({ when = '' }) => when.trim() === '' || when === 'true').map((entry) => [name, entry]),
    );
    deepStrictEqual(always, []);
  });

  it('refer only to existing commands and submenus, and use every submenu', () => {
    const known = new Set(contributes.commands.map(({ command }) => command));
    const entries = menus.flatMap(([, each]) => each);
    deepStrictEqual(
      entries.filter(({ command, submenu }) =>
        command === undefined ? !submenus.includes(submenu ?? '') : !known.has(command),
      ),
      [],
    );
    const used = entries.map(({ submenu }) => submenu);
    deepStrictEqual(
      submenus.filter((id) => !used.includes(id) || (contributes.menus[id] ?? []).length === 0),
      [],
    );
  });

  it('add a single entry, the submenu, to each of the editor’s own menus, except the main entry for selected text', () => {
    const added = (name: string): (string | undefined)[] =>
      (contributes.menus[name] ?? []).map(({ command, submenu }) => command ?? submenu);
    deepStrictEqual(added('editor/context'), ['docsAgent.createJobFromSelection', 'docsAgent.menu.editor']);
    for (const name of ['explorer/context', 'editor/title/context', 'terminal/context']) {
      const entries = contributes.menus[name] ?? [];
      ok(entries.length <= 1 && entries.every(({ submenu }) => submenu !== undefined), name);
    }
  });

  it('show only the entry for selected text until the extension is set up', () => {
    const file = { resourceScheme: 'file', resourceExtname: '.ts', editorIsOpen: true, terminalTextSelected: true };
    const shown = (context: Record<string, string | boolean>): (string | undefined)[] =>
      ['editor/context', 'explorer/context', 'editor/title/context', 'terminal/context', 'scm/title']
        .flatMap((name) => contributes.menus[name] ?? [])
        .filter(({ when = '' }) => holds(when, { ...file, ...context, scmProvider: 'git', isWorkspaceTrusted: true }))
        .map(({ command, submenu }) => command ?? submenu);
    deepStrictEqual(shown({ editorHasSelection: true }), ['docsAgent.createJobFromSelection']);
    deepStrictEqual(shown({ 'docsAgent.setup': 'nothing' }), []);
    strictEqual(shown({ 'docsAgent.setup': 'ready' }).length, 5);
  });

  it('share at most 50 commands', () => {
    ok(contributes.commands.length <= 50, String(contributes.commands.length));
  });

  it('offer no command in the palette that needs a job, a selection, a file or a repository where there is none', () => {
    const start = { isWorkspaceTrusted: true, 'docsAgent.localServiceAvailable': true };
    const always = ['createJob', 'composePrompt', 'getStarted', 'connect', 'openSettings', 'showLog'];
    const added = (context: Record<string, string | boolean | number>): string[] =>
      inPalette({ ...start, ...context })
        .map((command) => command.replace('docsAgent.', ''))
        .filter((command) => !always.includes(command));
    deepStrictEqual(added({ 'docsAgent.setup': 'nothing' }), ['setApiKey']);
    const connected = ['promptHistory', 'addContext', 'setApiKey', 'clearApiKey', 'checkConnection', 'trackJob'];
    deepStrictEqual(added({ 'docsAgent.setup': 'ready' }).toSorted(), connected.toSorted());
    const service = ['manageLocalService', 'startLocalService', 'stopLocalService'];
    deepStrictEqual(
      added({ 'docsAgent.setup': 'local', 'config.docsAgent.service': 'local' }).toSorted(),
      [...connected.filter((command) => !command.endsWith('ApiKey')), ...service].toSorted(),
    );
    const ready = { 'docsAgent.setup': 'ready' };
    const more = (place: string): string[] =>
      added({ ...ready, [place]: 1 }).filter((command) => !connected.includes(command));
    deepStrictEqual(more('editorIsOpen'), ['document']);
    deepStrictEqual(more('gitOpenRepositoryCount').toSorted(), ['checkDocumentation', 'document']);
    // In Restricted Mode the editor knows no repository, and the command says why it does nothing.
    const untrusted = added({ ...ready, isWorkspaceTrusted: false, workspaceFolderCount: 1 });
    ok(untrusted.includes('checkDocumentation'));
  });

  it('offer at most 10 commands in the palette at first, and at most 30 once there are jobs', () => {
    const start = { isWorkspaceTrusted: true, editorIsOpen: true, 'docsAgent.localServiceAvailable': true };
    const fresh = { ...start, 'docsAgent.setup': 'nothing', gitOpenRepositoryCount: 1 };
    ok(inPalette(fresh).length <= 10, inPalette(fresh).join(', '));
    const used = { ...fresh, editorHasSelection: true, resourceScheme: 'file', 'docsAgent.hasJobs': true };
    const hosted = inPalette({ ...used, 'docsAgent.setup': 'ready' });
    ok(hosted.length <= 30, `${hosted.length}: ${hosted.join(', ')}`);
    const local = inPalette({ ...used, 'docsAgent.setup': 'local', 'config.docsAgent.service': 'local' });
    ok(local.length <= 30, `${local.length}: ${local.join(', ')}`);
    ok(inPalette(fresh).includes('docsAgent.getStarted'));
  });

  it('offer a local job without a remote its changes, and no pull request', () => {
    const offered = (word: string): (string | undefined)[] =>
      (contributes.menus['view/item/context'] ?? [])
        .filter(({ when = '' }) =>
          holds(when, {
            view: 'docsAgent.jobs',
            viewItem: `;job;completed;known;followUp;prompt;${word};branch;loose;local;`,
            'docsAgent.localServiceAvailable': true,
          }),
        )
        .map(({ command }) => command)
        .filter((command = '') => /reviewChanges|PullRequest(Link)?$/.test(command))
        .toSorted();
    const onBranch = [COMMANDS.checkoutPullRequest, COMMANDS.reviewChanges];
    deepStrictEqual(offered('review'), [...onBranch, COMMANDS.reviewChanges]);
    const onHost = [COMMANDS.copyPullRequestLink, COMMANDS.openPullRequest, COMMANDS.openPullRequest];
    deepStrictEqual(offered('link'), [...onHost, ...onBranch].toSorted());
  });

  it('offer to send comments above changes that have some and are not merged', () => {
    const offered = (shown: string, unsent: boolean): boolean =>
      (contributes.menus['editor/title'] ?? []).some(
        ({ command, when = '' }) =>
          command === COMMANDS.sendReviewComments &&
          holds(when, {
            activeEditor: 'multiDiffEditor',
            'docsAgent.changesInFront': shown,
            'docsAgent.unsentComments': unsent,
          }),
      );
    deepStrictEqual([offered('local', true), offered('hosted', true)], [true, true]);
    deepStrictEqual([offered('local', false), offered('merged', true), offered('', true)], [false, false, false]);
  });

  it('are hidden in prompts, editor output and binary files', () => {
    const shown = (name: string, context: Record<string, string>): boolean =>
      (contributes.menus[name] ?? []).some(({ when = '' }) =>
        holds(when, { ...context, editorHasSelection: true, 'docsAgent.setup': 'ready' }),
      );
    for (const name of ['editor/context', 'editor/title/context']) {
      for (const resourceScheme of ['docs-agent-prompt', 'docs-agent-preview', 'output', 'comment', 'debug']) {
        strictEqual(shown(name, { resourceScheme }), false, `${resourceScheme} in ${name}`);
      }
      strictEqual(shown(name, { resourceScheme: 'file', resourceExtname: '.ts' }), true, name);
    }
    for (const name of ['explorer/context', 'editor/title/context']) {
      for (const resourceExtname of ['.png', '.JPEG', '.pdf', '.zip', '.wasm']) {
        strictEqual(shown(name, { resourceScheme: 'file', resourceExtname }), false, `${resourceExtname} in ${name}`);
      }
    }
    const page = { 'docsAgent.docsPageOpen': 'true', resourceExtname: '.md' };
    const update = (resourceScheme: string): boolean =>
      (contributes.menus['editor/title'] ?? []).some(
        ({ command, when = '' }) => command === COMMANDS.document && holds(when, { ...page, resourceScheme }),
      );
    deepStrictEqual(['file', 'docs-agent-prompt', 'docs-agent-preview'].map(update), [true, false, false]);
  });

  it('offer an update for any selection in the explorer: a page, several pages, a folder or code', () => {
    const offered = (context: Record<string, string | boolean>): (string | undefined)[] =>
      (contributes.menus['docsAgent.menu.explorer'] ?? [])
        .filter(({ group = '', when = '' }) => group.startsWith('1_document') && holds(when, context))
        .map(({ command }) => command);
    const file = { resourceScheme: 'file' };
    deepStrictEqual(offered({ ...file, resourceExtname: '.md' }), [COMMANDS.document]);
    deepStrictEqual(offered({ ...file, resourceExtname: '.md', listMultiSelection: true }), [COMMANDS.document]);
    deepStrictEqual(offered({ ...file, explorerResourceIsFolder: true }), [COMMANDS.document]);
    deepStrictEqual(offered({ ...file, resourceExtname: '.ts' }), [COMMANDS.document]);
  });

  it('use only `when` syntax that these tests can evaluate', () => {
    for (const { when = '' } of GUEST.flatMap(([, entries]) => entries)) {
      ok(!/[<>]| in /.test(when), when);
      holds(when, {});
    }
  });

  it('show only commands with an icon in the editor title', () => {
    const icons = new Set(contributes.commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command));
    const bare = (contributes.menus['editor/title'] ?? []).filter(
      ({ command = '', group = '' }) => group.startsWith('navigation') && !icons.has(command),
    );
    deepStrictEqual(bare, []);
  });

  it('hide commands that need an argument from the command palette', () => {
    const hidden = (contributes.menus['commandPalette'] ?? [])
      .filter(({ when }) => when === 'false')
      .map(({ command }) => command);
    deepStrictEqual(
      NEED_ARGUMENT.filter((command) => !hidden.includes(command)),
      [],
    );
  });
});
