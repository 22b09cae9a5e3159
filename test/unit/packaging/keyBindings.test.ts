import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COMMANDS, VIEWS } from '../../../src/extension/ids';
import { contextsOf, holds } from './when';

interface KeyBinding {
  command: string;
  key: string;
  mac: string;
  when?: string;
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { contributes } = read('../../../package.json') as {
  contributes: { keybindings: KeyBinding[]; commands: { command: string }[] };
};

/** The usual keys of a list, which work only while the list of jobs has the focus. */
const inList = contributes.keybindings.filter(({ when = '' }) => when.includes(`focusedView == ${VIEWS.jobs}`));
const family = contributes.keybindings.filter(
  (binding) => binding.command !== COMMANDS.sendComposed && !inList.includes(binding),
);

describe('key bindings', () => {
  it('all use Ctrl+K Ctrl+G and a letter, with Cmd on macOS', () => {
    ok(family.length >= 6);
    for (const { key, mac } of family) {
      // Ctrl is held throughout, because an active input method would take a plain letter.
      strictEqual(/^ctrl\+k ctrl\+g ctrl\+[a-z]$/.test(key), true, key);
      strictEqual(mac, key.replaceAll('ctrl', 'cmd'));
    }
  });

  it('rename with F2 and remove with Delete only while the list, and no input box, has the focus', () => {
    deepStrictEqual(
      inList.map(({ key }) => key),
      ['f2', 'delete'],
    );
    for (const { when = '' } of inList) {
      strictEqual(holds(when, { focusedView: VIEWS.jobs, listFocus: true }), true);
      strictEqual(holds(when, { focusedView: VIEWS.jobs, listFocus: true, inputFocus: true }), false);
    }
  });

  it('avoid letters that a browser or macOS reserves', () => {
    const letters = family.map(({ key }) => key.slice(-1));
    deepStrictEqual(
      letters.filter((letter) => 'ntwqhm'.includes(letter)),
      [],
    );
  });

  it('reach their commands even without a comment or a selection once the extension is set up, so that they say what to do', () => {
    const reached = (context: Parameters<typeof holds>[1]): string[] =>
      family
        .filter(({ command }) => [COMMANDS.sendReviewComments, `docsAgent.createJobFromSelection`].includes(command))
        .filter(({ when = '' }) => holds(when, context))
        .map(({ key }) => key.slice(-1));
    deepStrictEqual(reached({ 'docsAgent.setup': 'nothing' }), []);
    deepStrictEqual(reached({ 'docsAgent.setup': 'nothing', editorHasSelection: true, editorTextFocus: true }), ['s']);
    deepStrictEqual(reached({ 'docsAgent.setup': 'ready' }), ['s', 'e']);
  });

  it('run existing commands, and share a key only if their conditions exclude each other', () => {
    const known = new Set<string>([...contributes.commands.map(({ command }) => command), `${VIEWS.jobs}.focus`]);
    deepStrictEqual(
      contributes.keybindings.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
    const pairs = contributes.keybindings.flatMap((one, at) =>
      contributes.keybindings.slice(at + 1).flatMap((other) => (one.key === other.key ? [[one, other] as const] : [])),
    );
    ok(pairs.length > 0, 'there is a key with two commands');
    for (const [{ key, when: one = '' }, { when: other = '' }] of pairs) {
      ok(one !== '' && other !== '', `one of ${key} always holds`);
      const contexts = contextsOf(one, other);
      deepStrictEqual(
        contexts.filter((context) => holds(one, context) === holds(other, context)),
        [],
        `both commands of ${key} run, or none`,
      );
    }
  });
});
