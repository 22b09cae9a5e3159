import { registerHooks } from 'node:module';

// A fake `vscode` module for tests outside the editor. Mocha loads it before the tests.

class FakeEventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void): { dispose: () => void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  fire(value: T): void {
    this.listeners.forEach((listener) => listener(value));
  }

  dispose(): void {
    this.listeners.clear();
  }
}

/** The API of the Git extension, if a test provides one. */
export const gitExtension: { api: unknown } = { api: undefined };
/** The parts of the editor API that a test provides. */
export const window: Record<string, unknown> = {};
export const workspace: Record<string, unknown> = {};
export const languages: Record<string, unknown> = {};
export const commands: Record<string, unknown> = { executeCommand: async () => undefined };

/** An enumeration in which each member's value is its name. */
const named = new Proxy<Record<string, unknown>>({}, { get: (_, name) => String(name) });

/** Joins its parts; unlike the real one, it escapes nothing. */
class FakeMarkdown {
  value = '';

  appendText(text: string): this {
    this.value += text;
    return this;
  }

  appendMarkdown(text: string): this {
    return this.appendText(text);
  }

  appendCodeblock(text: string): this {
    return this.appendText(`\n${text}\n`);
  }
}

class FakeTreeItem {
  constructor(readonly label: string) {}
}

class FakeRange {
  readonly start: { line: number; character: number };

  constructor(line: number, character: number) {
    this.start = { line, character };
  }
}

class FakeUri {
  readonly path: string = '';
}

class FakeSelection {
  constructor(
    readonly start: unknown,
    readonly end: unknown,
  ) {}
}

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
  CodeLens: class {
    constructor(
      readonly range: unknown,
      readonly command: unknown,
    ) {}
  },
  QuickPickItemKind: { Separator: -1 },
  InputBoxValidationSeverity: { Error: 3 },
  QuickInputButtons: {},
  ThemeIcon: Object,
  CommentMode: { Editing: 0, Preview: 1 },
  CommentThreadCollapsibleState: { Collapsed: 0, Expanded: 1 },
  CommentThreadState: { Unresolved: 0, Resolved: 1 },
  Range: FakeRange,
  Selection: FakeSelection,
  TextEditorRevealType: {},
  Diagnostic: Object,
  Uri: Object.assign(FakeUri, {
    parse: (text: string) => ({ toString: () => text }),
    from: ({ scheme, path }: { scheme: string; path: string }) => ({
      scheme,
      path,
      toString: () => `${scheme}:${path}`,
    }),
    file: (path: string) => ({ fsPath: path, path, toString: () => `file://${path}` }),
    joinPath: (uri: { path: string }, name: string) => {
      const path = `${uri.path}/${name}`;
      const toString = (): string => `file://${path}`;
      const withPart = (part: object): object => ({ path, ...part, toString: () => `${path} ${JSON.stringify(part)}` });
      return { path, toString, with: withPart };
    },
  }),
  comments: {},
  EventEmitter: FakeEventEmitter,
  SymbolKind: named,
  TreeItemCollapsibleState: named,
  FileType: named,
  DiagnosticSeverity: named,
  ProgressLocation: {},
  ConfigurationTarget: {},
  TreeItem: FakeTreeItem,
  ThemeColor: Object,
  MarkdownString: FakeMarkdown,
};

Object.assign(globalThis, { fakeEditor: editor });

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: new URL('./vscodeModule.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
