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

  it('add a single entry, the submenu, to each of the editor’s own menus', () => {
    for (const name of ['editor/context', 'explorer/context', 'editor/title/context', 'terminal/context']) {
      const entries = contributes.menus[name] ?? [];
      ok(entries.length <= 1 && entries.every(({ submenu }) => submenu !== undefined), name);
    }
  });

  it('are hidden in prompts, editor output and binary files', () => {
    const shown = (name: string, context: Record<string, string>): boolean =>
      (contributes.menus[name] ?? []).some(({ when = '' }) => holds(when, context));
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
