import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { PROMPT_LANGUAGE, promptFolder } from '../../../src/extension/features/prompt/composer/promptFiles';
import {
  CONTEXT_KEYS,
  EXTENSION_ID,
  JOB_PAGE,
  SETTINGS,
  SETTINGS_SECTION,
  STEPS,
  VIEWS,
  WALKTHROUGH,
} from '../../../src/extension/ids';
import { FINDING_ACTIONS } from '../../../src/extension/presentation/findingRows';
import { isAction } from '../../../src/extension/presentation/jobActions';
import { RELEASES } from '../../support/vscode/paths';

interface Entry {
  command?: string;
  submenu?: string;
  when?: string;
  group?: string;
}

interface Setting {
  scope: string;
  ignoreSync?: boolean;
  markdownDescription: string;
  enum?: string[];
  enumItemLabels?: string[];
  enumDescriptions?: string[];
}

interface Step {
  id: string;
  description: string;
  media: { svg: string; altText: string };
  completionEvents: string[];
  when?: string;
}

interface Manifest {
  name: string;
  publisher: string;
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    commands: { command: string; icon?: string }[];
    submenus: { id: string }[];
    languages: { id: string; filenamePatterns: string[] }[];
    views: Record<string, { id: string }[]>;
    menus: Record<string, Entry[]>;
    keybindings: { command: string; key: string; mac: string; when?: string }[];
    viewsWelcome: { contents: string; when: string }[];
    walkthroughs: { id: string; steps: Step[] }[];
    configuration: { order: number; properties: Record<string, Setting> }[];
  };
}

const place = (name: string): URL => new URL(`../../../${name}`, import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(place(name), 'utf8'));
const manifest = read('package.json') as Manifest;
const { contributes } = manifest;
const texts = read('package.nls.json') as Record<string, string>;
const textOf = (placeholder: string): string => texts[placeholder.replaceAll('%', '')] ?? placeholder;
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<
  string,
  Setting
>;
const menus = Object.entries(contributes.menus);
const commandIds = contributes.commands.map(({ command }) => command);
const contextKeys = new Set<string>([
  ...Object.values(CONTEXT_KEYS),
  ...Object.values(VIEWS),
  ...Object.values(SETTINGS).map((name) => `${SETTINGS_SECTION}.${name}`),
]);

/** What a menu offers in a context. */
function offered(menu: string, context: Context): (string | undefined)[] {
  return (contributes.menus[menu] ?? [])
    .filter(({ when = '' }) => holds(when, context))
    .map(({ command, submenu }) => command ?? submenu);
}

/** The commands that the palette offers, without the prefix. */
function inPalette(context: Context): string[] {
  const entries = contributes.menus['commandPalette'] ?? [];
  return commandIds
    .filter((id) => entries.every(({ command, when = '' }) => command !== id || holds(when, context)))
    .map((id) => id.replace('docsAgent.', ''));
}

/** Checks that each of our commands named in the text exists and that its argument is JSON. */
function expectCommands(text: string): void {
  const known = [...commandIds, `${VIEWS.jobs}.focus`];
  for (const [, command = '', argument] of text.matchAll(/\(command:([\w.]+)(?:\?([^)]*))?\)/g)) {
    ok(!command.startsWith('docsAgent.') || known.includes(command), command);
    ok(argument === undefined || JSON.parse(decodeURIComponent(argument)) !== null);
  }
}

describe('package.json and the code', () => {
  it('name the same extension, settings and views', () => {
    strictEqual(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
    deepStrictEqual(
      Object.keys(settings).toSorted(),
      Object.values(SETTINGS)
        .map((name) => `${SETTINGS_SECTION}.${name}`)
        .toSorted(),
    );
    deepStrictEqual(
      Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id)),
      Object.values(VIEWS),
    );
  });

  it('give prompts the same language', () => {
    const [language] = manifest.contributes.languages;
    deepStrictEqual(
      [language?.id, language?.filenamePatterns],
      [PROMPT_LANGUAGE, [`**/${EXTENSION_ID}/drafts/**/*.md`]],
    );
    const prompt = { path: `/home/me/globalStorage/${EXTENSION_ID}/drafts/local/guide/New job.md` };
    strictEqual(promptFolder(prompt as never), 'local/guide');
  });

  it('name the same commands', () => {
    const source = new URL('../../../src/extension/', import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const texts = files.map((file) => [file, readFileSync(new URL(file, source), 'utf8')] as const);
    const handled = texts
      .filter(([file]) => file === 'app.ts' || file.endsWith('register.ts'))
      .flatMap(([, text]) => [...text.matchAll(/^ +(?:commands: \{ )?'(docsAgent\.\w+)':/gm)].map(([, id = '']) => id));
    deepStrictEqual(handled.toSorted(), commandIds.toSorted());
    const others = [...contextKeys, ...Object.values(STEPS), WALKTHROUGH, JOB_PAGE];
    // Keys of what the editor remembers, and IDs of parts of its window.
    others.push(...'reached checks wayBack jobBranch prompt'.split(' ').map((name) => `docsAgent.${name}`));
    const named = texts.flatMap(([, text]) => text.match(/(?<=['`:])docsAgent\.\w+(?=['`)])/g) ?? []);
    deepStrictEqual(
      named.filter((id) => !commandIds.includes(id) && !others.includes(id)),
      [],
      'commands that code runs or links to',
    );
  });

  it('refer in `when` clauses only to those of our context keys that the code sets', () => {
    const steps = contributes.walkthroughs.flatMap((each) => each.steps);
    const entries = [...menus.flatMap(([, each]) => each), ...contributes.viewsWelcome, ...steps];
    const named = entries.flatMap(({ when = '' }) => when.match(/docsAgent\.[\w.]+/g) ?? []);
    deepStrictEqual(
      named.filter((name) => !contextKeys.has(name)),
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

describe('settings', () => {
  it('let no workspace decide where a key is sent or which program runs', () => {
    for (const name of ['service', 'baseUrl', ...Object.values(SETTINGS).filter((each) => each.startsWith('local.'))]) {
      strictEqual(settings[`docsAgent.${name}`]?.scope, 'application', name);
    }
  });

  it('are synced only where they are the same on every machine', () => {
    const synced = 'codeActions followUps.whileRunning instructions notifications projectId';
    deepStrictEqual(
      Object.values(SETTINGS)
        .filter((name) => settings[`${SETTINGS_SECTION}.${name}`]?.ignoreSync !== true)
        .toSorted(),
      synced.split(' '),
    );
  });

  it('are in ordered groups and described, and descriptions name only existing settings', () => {
    deepStrictEqual(
      contributes.configuration.map(({ order }) => order),
      contributes.configuration.map((_, index) => index + 1),
    );
    for (const [name, { markdownDescription, ...setting }] of Object.entries(settings)) {
      const text = textOf(markdownDescription);
      ok(text.length > 40, name);
      for (const [, other = ''] of text.matchAll(/`#([^#`]+)#`/g)) {
        ok(other in settings, other);
      }
      strictEqual(setting.enumDescriptions?.length, setting.enum?.length, name);
    }
  });
});

describe('empty job list', () => {
  /** Context of a window that is set up for a hosted service, with the given changes. */
  const context = (change: Context = {}): Context => ({
    ...{ 'config.docsAgent.service': 'hosted', 'docsAgent.listEmpty': true, 'docsAgent.setup': 'ready' },
    ...{ isWorkspaceTrusted: true, workspaceFolderCount: 1, 'git.state': 'initialized', gitOpenRepositoryCount: 1 },
    ...change,
  });
  const local = { 'config.docsAgent.service': 'local', 'docsAgent.setup': 'local' };
  const noFolder = { isWorkspaceTrusted: false, workspaceFolderCount: 0 };
  const STATES: [string, Context][] = [
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
    ['localUntrusted', { ...local, ...noFolder, 'docsAgent.setup': 'localUntrusted' }],
    ['localNoFolder', { ...local, workspaceFolderCount: 0 }],
    ['localNoRepository', { ...local, gitOpenRepositoryCount: 0, 'docsAgent.agentMissing': true }],
    ['localNoAgent', { ...local, 'docsAgent.agentMissing': true }],
  ];
  /** Not the offer of a check, which is below the others. */
  const shown = (state: Context): string[] => allShown(state).filter((contents) => contents !== '%welcome.check%');
  const allShown = (state: Context): string[] =>
    contributes.viewsWelcome.filter(({ when }) => holds(when, state)).map(({ contents }) => contents);

  for (const [name, change] of STATES) {
    it(`shows only the message “${name}” with ${JSON.stringify(change)}`, () => {
      deepStrictEqual(shown(context(change)), [`%welcome.${name}%`]);
    });
  }

  it('shows nothing about the setup until that is known, and does not ask for trust that was just granted', () => {
    for (const [name, change] of STATES) {
      deepStrictEqual(shown(context({ ...change, 'docsAgent.listEmpty': '' })), []);
      const isFilter = name === 'filtered' || name === 'removed';
      strictEqual(shown(context({ ...change, 'docsAgent.setup': '' })).length, isFilter ? 1 : 0);
    }
    deepStrictEqual(shown(context({ ...local, 'docsAgent.setup': 'localUntrusted' })), []);
  });

  it('offers to check the repository below every message about the setup, where a check can run', () => {
    const offers = (state: Context): boolean =>
      allShown(context({ 'docsAgent.localServiceAvailable': true, ...state })).at(-1) === '%welcome.check%';
    const places: Context[] = [{ 'docsAgent.setup': 'nothing' }, { 'docsAgent.setup': 'keyMissing' }, {}, local];
    ok(places.every(offers));
    const others: Context[] = [
      ...[{ 'docsAgent.localServiceAvailable': false }, { gitOpenRepositoryCount: 0 }, { virtualWorkspace: 'a' }],
      ...[{ 'docsAgent.listFiltered': true }, { 'docsAgent.listEmpty': '' }],
    ];
    ok(!others.some(offers));
  });

  it('has a message with a valid next step for every state', () => {
    const contents = contributes.viewsWelcome.map((each) => each.contents);
    const named = new Set([...STATES.map(([name]) => name), 'check']);
    deepStrictEqual(contents.toSorted(), [...named].map((name) => `%welcome.${name}%`).toSorted());
    for (const text of contents.map(textOf)) {
      match(text, /\n\[[^\]]+\]\(command:[^)]+\)(\n|$)/);
      expectCommands(text);
    }
  });
});

describe('walkthrough', () => {
  const [walkthrough] = contributes.walkthroughs;
  ok(walkthrough !== undefined);

  it('is the one that the empty job list opens, with the steps that the code completes', () => {
    const [, target = ''] = /openWalkthrough\?([^)]+)\)/.exec(texts['welcome.nothing'] ?? '') ?? [];
    strictEqual(decodeURIComponent(target), JSON.stringify(`${EXTENSION_ID}#${walkthrough.id}`));
    strictEqual(walkthrough.id, WALKTHROUGH);
    const [check, ...others] = walkthrough.steps;
    deepStrictEqual(check?.completionEvents, ['onCommand:docsAgent.checkDocumentation']);
    deepStrictEqual(
      others.map(({ id, completionEvents }) => [id, completionEvents[0]?.split(/[: ]/)[1]]),
      Object.entries(STEPS).map(([name, id]) => [id, CONTEXT_KEYS[name as keyof typeof STEPS]]),
    );
  });

  it('has small images in the colors of the theme, with alternative text, and valid commands', () => {
    for (const { description, media } of walkthrough.steps) {
      ok(statSync(place(media.svg)).size < 3000);
      const picture = readFileSync(place(media.svg), 'utf8');
      match(picture, /var\(--vscode-/);
      ok(!/#[0-9a-f]{3,8}\b|rgb\(|<script|<text|href/i.test(picture), 'no color, word or link of its own');
      ok(textOf(media.altText).length > 20);
      expectCommands(textOf(description));
    }
  });

  // The editor never completes a step on an event that is already true when it reads the walkthrough.
  it('completes a step once the user moves elsewhere, wherever the walkthrough was opened', () => {
    for (const { completionEvents } of walkthrough.steps.slice(1)) {
      const clauses = completionEvents.map((event) => event.replace('onContext:', ''));
      const [key = ''] = clauses[0]?.split(' ') ?? [];
      ok(contextKeys.has(key));
      const held = (state: Context): string[] => clauses.filter((clause) => holds(clause, { [key]: true, ...state }));
      const [away, here] = [held({}), held({ activeEditor: 'gettingStartedPage' })];
      ok(away.length > 0 && here.length > 0);
      ok(away.every((clause) => !here.includes(clause)));
      ok(held({ activeEditor: 'gettingStartedPage', inQuickOpen: true }).length > here.length);
    }
  });
});

describe('menus', () => {
  it('have a condition on every entry, refer only to what exists, and use every submenu', () => {
    const submenus = contributes.submenus.map(({ id }) => id);
    const used = menus.flatMap(([name, entries]) =>
      entries.map(({ command, submenu, when = '' }) => {
        ok(
          name === 'commandPalette' || !['', 'true'].includes(when.trim()),
          `${name}: ${command ?? submenu ?? 'nothing'}`,
        );
        ok(command === undefined ? submenus.includes(submenu ?? '') : commandIds.includes(command), command);
        return submenu;
      }),
    );
    ok(submenus.every((id) => used.includes(id) && (contributes.menus[id] ?? []).length > 0));
  });

  it('show only commands with an icon in the editor title', () => {
    const icons = contributes.commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command);
    const title = contributes.menus['editor/title'] ?? [];
    ok(title.every(({ command = '', group = '' }) => !group.startsWith('navigation') || icons.includes(command)));
  });

  it('add one submenu to each of the editor’s own menus, and the main entry for selected text', () => {
    const added = (name: string): (string | undefined)[] =>
      (contributes.menus[name] ?? []).map(({ command, submenu }) => command ?? submenu);
    deepStrictEqual(added('editor/context'), ['docsAgent.createJobFromSelection', 'docsAgent.menu.editor']);
    for (const name of ['explorer/context', 'editor/title/context', 'terminal/context']) {
      ok(added(name).length <= 1 && added(name).every((id) => id?.startsWith('docsAgent.menu.')), name);
    }
  });

  it('show only the entry for selected text until the extension is set up', () => {
    const file = { resourceScheme: 'file', resourceExtname: '.ts', editorIsOpen: true, terminalTextSelected: true };
    const shown = (context: Context): (string | undefined)[] =>
      ['editor/context', 'explorer/context', 'editor/title/context', 'terminal/context', 'scm/title'].flatMap((name) =>
        offered(name, { ...file, scmProvider: 'git', isWorkspaceTrusted: true, ...context }),
      );
    deepStrictEqual(shown({ editorHasSelection: true }), ['docsAgent.createJobFromSelection']);
    deepStrictEqual(shown({ 'docsAgent.setup': 'nothing' }), []);
    ok(shown({ 'docsAgent.setup': 'ready' }).length >= 4);
  });

  it('offer no command in the palette that needs a job, a selection, a file or a repository where there is none', () => {
    const start = { isWorkspaceTrusted: true, 'docsAgent.localServiceAvailable': true };
    const always = 'createJob composePrompt getStarted connect openSettings showLog'.split(' ');
    const added = (context: Context): string[] =>
      inPalette({ ...start, ...context }).filter((command) => !always.includes(command));
    deepStrictEqual(added({ 'docsAgent.setup': 'nothing' }), ['setApiKey']);
    const connected = 'promptHistory addContext setApiKey clearApiKey checkConnection trackJob'.split(' ');
    deepStrictEqual(added({ 'docsAgent.setup': 'ready' }).toSorted(), connected.toSorted());
    const service = 'manageLocalService startLocalService stopLocalService'.split(' ');
    deepStrictEqual(
      added({ 'docsAgent.setup': 'local', 'config.docsAgent.service': 'local' }).toSorted(),
      [...connected.filter((command) => !command.endsWith('ApiKey')), ...service].toSorted(),
    );
    const more = (context: Context): string[] =>
      added({ 'docsAgent.setup': 'ready', ...context }).filter((command) => !connected.includes(command));
    deepStrictEqual(more({ editorIsOpen: true }), ['document']);
    deepStrictEqual(more({ editorLangId: 'docs-agent-prompt' }).toSorted(), ['previewPrompt', 'sendComposed']);
    deepStrictEqual(more({ gitOpenRepositoryCount: 1 }).toSorted(), ['checkDocumentation', 'document']);
    // In Restricted Mode the editor knows no repository, and the command says why it does nothing.
    ok(more({ isWorkspaceTrusted: false, workspaceFolderCount: 1 }).includes('checkDocumentation'));
    const unsent = ['sendNow', 'editAndSend', 'changeProject', 'discardPrompt'];
    const withJobs = { ...start, 'docsAgent.setup': 'ready', 'docsAgent.hasJobs': true };
    const everything = inPalette({ ...withJobs, 'docsAgent.hasPullRequests': true });
    deepStrictEqual(
      everything.filter((command) => unsent.includes(command)),
      [],
    );
    deepStrictEqual(
      everything.filter((command) => !inPalette(withJobs).includes(command)),
      ['openPullRequest'],
    );
    // Local jobs stay in the list when another service gets new ones.
    deepStrictEqual(
      inPalette({ ...withJobs, 'docsAgent.hasLocalJobs': true })
        .filter((id) => !inPalette(withJobs).includes(id))
        .toSorted(),
      ['cancelJob', 'finishJob', 'undoMerge'],
    );
  });

  it('offer on a row exactly what its description lists', () => {
    const others = (contributes.menus['view/item/context'] ?? []).filter(({ command = '', when = '' }) => {
      const [, name = ''] = /^view == docsAgent\.jobs && viewItem =~ \/;(\w+);\//.exec(when) ?? [];
      const isOffered =
        isAction(name) || [...FINDING_ACTIONS.row, ...FINDING_ACTIONS.group].some((action) => action === name);
      return !isOffered || command !== `docsAgent.${name}`;
    });
    deepStrictEqual(others, []);
  });

  it('offer the check of the documentation on what it has found, and in the menu of the list', () => {
    const group = { view: VIEWS.jobs, viewItem: `;section;${FINDING_ACTIONS.group.join(';')};` };
    ok(offered('view/item/context', group).includes('docsAgent.checkDocumentation'));
    const list = { view: VIEWS.jobs, gitOpenRepositoryCount: 1, 'docsAgent.localServiceAvailable': true };
    ok(offered('view/title', list).includes('docsAgent.checkDocumentation'));
  });

  it('offer on a row to archive the job, directly or beside other decisions', () => {
    const ways = (viewItem: string): (string | undefined)[] =>
      offered('view/item/context', { view: VIEWS.jobs, viewItem }).filter((id) =>
        /finishJob|archiveJob/.test(id ?? ''),
      );
    deepStrictEqual(ways(';finishJob;mergeJob;archiveJob;'), ['docsAgent.finishJob']);
    deepStrictEqual(ways(';finishJob;reopenJob;archiveJob;'), ['docsAgent.finishJob']);
    deepStrictEqual(ways(';finishJob;archiveJob;'), ['docsAgent.archiveJob']);
    deepStrictEqual(ways(';unarchiveJob;'), ['docsAgent.unarchiveJob']);
  });

  it('offer to send comments above changes that have some and are not merged', () => {
    const isOffered = (shown: string, unsent: boolean): boolean =>
      offered('editor/title', {
        ...{ activeEditor: 'multiDiffEditor', 'docsAgent.changesInFront': shown, 'docsAgent.unsentComments': unsent },
      }).includes('docsAgent.sendReviewComments');
    deepStrictEqual([isOffered('local', true), isOffered('hosted', true)], [true, true]);
    deepStrictEqual([isOffered('local', false), isOffered('', true)], [false, false]);
    deepStrictEqual([isOffered('merged', true), isOffered('mergedHere', true)], [false, false]);
  });

  it('are hidden in prompts, editor output and binary files', () => {
    const isShown = (name: string, context: Context): boolean =>
      offered(name, { ...context, editorHasSelection: true, 'docsAgent.setup': 'ready' }).length > 0;
    for (const name of ['editor/context', 'editor/title/context']) {
      strictEqual(isShown(name, { resourceScheme: 'file', resourceLangId: PROMPT_LANGUAGE }), false, name);
      for (const resourceScheme of ['docs-agent-preview', 'output', 'comment', 'debug']) {
        strictEqual(isShown(name, { resourceScheme }), false, `${resourceScheme} in ${name}`);
      }
      strictEqual(isShown(name, { resourceScheme: 'file', resourceExtname: '.ts' }), true, name);
    }
    for (const name of ['explorer/context', 'editor/title/context']) {
      for (const resourceExtname of ['.png', '.JPEG', '.pdf', '.zip', '.wasm']) {
        strictEqual(isShown(name, { resourceScheme: 'file', resourceExtname }), false, `${resourceExtname} in ${name}`);
      }
    }
  });

  it('offer an update for any selection in the explorer: a page, several pages, a folder or code', () => {
    const contexts: Context[] = [
      { resourceExtname: '.md' },
      { resourceExtname: '.md', listMultiSelection: true },
      { explorerResourceIsFolder: true },
      { resourceExtname: '.ts' },
    ];
    for (const context of contexts) {
      const found = offered('docsAgent.menu.explorer', { resourceScheme: 'file', ...context });
      strictEqual(found.filter((command) => command === 'docsAgent.document').length, 1, JSON.stringify(context));
    }
  });
});

describe('key bindings', () => {
  /** The usual keys of a list, which work only while the list of jobs has the focus. */
  const inList = contributes.keybindings.filter(({ when = '' }) => when.includes(`focusedView == ${VIEWS.jobs}`));
  const family = contributes.keybindings.filter(
    (binding) => binding.command !== 'docsAgent.sendComposed' && !inList.includes(binding),
  );

  it('use Ctrl+K Ctrl+G and a letter that neither a browser nor macOS reserves, with Cmd on macOS', () => {
    ok(family.length >= 6);
    for (const { key, mac } of family) {
      // Ctrl is held throughout, because an active input method would take a plain letter.
      match(key, /^ctrl\+k ctrl\+g ctrl\+[a-z](?<![ntwqhm])$/);
      strictEqual(mac, key.replaceAll('ctrl', 'cmd'));
    }
  });

  it('apply to rows only while the list, and no input box, has the focus', () => {
    deepStrictEqual(
      inList.map(({ key }) => key),
      ['ctrl+k ctrl+g ctrl+f', 'ctrl+k ctrl+g ctrl+e', 'f2', 'delete'],
    );
    for (const { when = '' } of inList) {
      strictEqual(holds(when, { focusedView: VIEWS.jobs, listFocus: true }), true);
      strictEqual(holds(when, { focusedView: VIEWS.jobs, listFocus: true, inputFocus: true }), false);
    }
  });

  it('reach their commands without a comment or a selection once the extension is set up, so that they say what to do', () => {
    const reached = (context: Context): string[] =>
      family
        .filter(({ command }) => ['docsAgent.sendReviewComments', `docsAgent.createJobFromSelection`].includes(command))
        .filter(({ when = '' }) => holds(when, context))
        .map(({ key }) => key.slice(-1));
    deepStrictEqual(reached({ 'docsAgent.setup': 'nothing' }), []);
    deepStrictEqual(reached({ 'docsAgent.setup': 'nothing', editorHasSelection: true, editorTextFocus: true }), ['s']);
    deepStrictEqual(reached({ 'docsAgent.setup': 'ready' }), ['s', 'e']);
  });

  it('run existing commands, and share a key only if their conditions exclude each other', () => {
    const known = [...commandIds, `${VIEWS.jobs}.focus`];
    ok(contributes.keybindings.every(({ command }) => known.includes(command)));
    const pairs = contributes.keybindings.flatMap((one, at) =>
      contributes.keybindings.slice(at + 1).flatMap((other) => (one.key === other.key ? [[one, other] as const] : [])),
    );
    for (const [{ key, when: one = '' }, { when: other = '' }] of pairs) {
      ok(one !== '' && other !== '', `one of ${key} always holds`);
      for (const context of contextsOf(one, other)) {
        ok(!holds(one, context) || !holds(other, context), `both commands of ${key} run`);
      }
    }
  });
});

/** Every combination of the contexts in the clauses being set or unset. */
function contextsOf(...clauses: readonly string[]): Context[] {
  const bare = clauses.join(' ').replace(/\/(?:\\.|[^/\\])+\/[a-z]*/g, '');
  const names = [...new Set(bare.match(/[A-Za-z][\w.-]*/g) ?? [])];
  return names.reduce<Context[]>(
    (contexts, name) => contexts.flatMap((each) => [each, { ...each, [name]: true }]),
    [{}],
  );
}

/** The context keys of a window. */
export type Context = Readonly<Record<string, string | boolean | number>>;

/** Evaluates a `when` clause of the manifest like the editor does. Supports only the syntax that ours use. */
export function holds(when: string, context: Context): boolean {
  const tokens = when.match(/\/(?:\\.|[^/\\])+\/[a-z]*|&&|\|\||=~|==|!=|[!()>]|[\w.-]+/g) ?? [];
  const operand = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token === '!') {
      return !operand();
    }
    if (token === '(') {
      const inner = any();
      if (tokens.shift() !== ')') {
        throw new Error(`no “)” in ${when}`);
      }
      return inner;
    }
    return compared(context[token]);
  };
  const compared = (value: Context[string] = ''): boolean => {
    const operator = ['==', '!=', '=~', '>'].includes(tokens[0] ?? '') ? tokens.shift() : undefined;
    if (operator === undefined) {
      return Boolean(value);
    }
    const right = tokens.shift() ?? '';
    if (operator === '>') {
      return Number(value) > Number(right);
    }
    if (operator === '=~') {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(right) ?? [];
      return new RegExp(source, flags).test(String(value));
    }
    return (String(value) === right) === (operator === '==');
  };
  const all = (): boolean => {
    let result = operand();
    while (tokens[0] === '&&') {
      tokens.shift();
      result = operand() && result;
    }
    return result;
  };
  const any = (): boolean => {
    let result = all();
    while (tokens[0] === '||') {
      tokens.shift();
      result = all() || result;
    }
    return result;
  };
  const result = any();
  if (tokens.length > 0) {
    throw new Error(`not understood: ${tokens.join(' ')} in ${when}`);
  }
  return result;
}
