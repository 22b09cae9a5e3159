import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMANDS } from '../../../src/extension/ids';

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

/** Menus of other parts of the editor, where we are a guest. */
const GUEST = menus.filter(([name]) => name !== 'commandPalette');

/** Without an argument these have nothing to work on. */
const NEED_ARGUMENT = [COMMANDS.sendAgain, COMMANDS.sendNow, COMMANDS.editAndSend, COMMANDS.discardPrompt];

describe('the menus', () => {
  it('say of each entry when it makes sense', () => {
    const always = GUEST.flatMap(([name, entries]) =>
      entries.filter(({ when = '' }) => when.trim() === '' || when === 'true').map((entry) => [name, entry]),
    );
    deepStrictEqual(always, []);
  });

  it('name commands and submenus that there are, and use each submenu', () => {
    const known = new Set<string>(Object.values(COMMANDS));
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

  it('add one entry to a menu of the editor’s own: the submenu', () => {
    for (const name of ['editor/context', 'explorer/context', 'editor/title/context', 'terminal/context']) {
      const entries = contributes.menus[name] ?? [];
      ok(entries.length <= 1 && entries.every(({ submenu }) => submenu !== undefined), name);
    }
  });

  it('keep out of prompts, of what the editor prints, and of files that are no text', () => {
    for (const name of ['editor/context', 'editor/title/context']) {
      const [entry] = contributes.menus[name] ?? [];
      ok(entry?.when?.includes('resourceScheme =~ /^(docs-agent-prompt|output|'), name);
    }
    for (const name of ['explorer/context', 'editor/title/context']) {
      ok(contributes.menus[name]?.[0]?.when?.includes('!(resourceExtname =~ /^\\.(png|'), name);
    }
  });

  it('show a command with an icon where only icons fit', () => {
    const icons = new Set(contributes.commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command));
    const bare = (contributes.menus['editor/title'] ?? []).filter(
      ({ command = '', group = '' }) => group.startsWith('navigation') && !icons.has(command),
    );
    deepStrictEqual(bare, []);
  });

  it('hide from the palette what can do nothing without an argument', () => {
    const hidden = (contributes.menus['commandPalette'] ?? [])
      .filter(({ when }) => when === 'false')
      .map(({ command }) => command);
    deepStrictEqual(
      NEED_ARGUMENT.filter((command) => !hidden.includes(command)),
      [],
    );
  });
});
