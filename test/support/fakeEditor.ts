import { registerHooks } from 'node:module';

/*
 * A stand-in for the module `vscode`, for unit tests of code that talks to the editor. The code under test is loaded with
 * `await import()`: static imports are resolved before the hook is there.
 */

/** The API of the Git extension, where a test has one. */
export const gitExtension: { api: unknown } = { api: undefined };
/** What a test lets the editor do. */
export const window: Record<string, unknown> = {};
export const workspace: Record<string, unknown> = {};
export const languages: Record<string, unknown> = {};
export const commands: Record<string, unknown> = { executeCommand: async () => undefined };

export const editor = {
  window,
  workspace,
  languages,
  commands,
  extensions: {
    getExtension: () => ({ activate: async () => ({ enabled: true, getAPI: () => gitExtension.api }) }),
  },
  StatusBarAlignment: {},
  Disposable: { from: () => ({ dispose: () => undefined }) },
  l10n: {
    t: (text: string | { message: string; args: Record<string, unknown> }, ...values: unknown[]) => {
      const { message, args } =
        typeof text === 'string' ? { message: text, args: Object.fromEntries(values.entries()) } : text;
      return message.replace(/\{(\w+)\}/g, (_, name: string) => String(args[name]));
    },
  },
  env: { language: 'en' },
  TabInputWebview: Object,
  CodeActionKind: {},
  QuickPickItemKind: { Separator: -1 },
  QuickInputButtons: {},
  ThemeIcon: Object,
  CommentMode: { Editing: 0, Preview: 1 },
  CommentThreadCollapsibleState: { Expanded: 1 },
  Range: Object,
  Uri: { parse: (text: string) => ({ toString: () => text }) },
  comments: {},
};

Object.assign(globalThis, { fakeEditor: editor });
const module = `export const { ${Object.keys(editor).join(', ')} } = globalThis.fakeEditor;`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(module)}`, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
