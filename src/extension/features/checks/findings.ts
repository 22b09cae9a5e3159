import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable';
import type { Logger } from '../../../base/logger';
import { type Finding, subjectOf } from '../../../checks/finding';
import { PAGE_ENDINGS } from '../../../checks/paths';
import { CHECK_SOURCE, type CommandId } from '../../ids';
import { numberText } from '../../platform/numberText';
import { toLabel } from '../../platform/sanitize';
import { asksFor } from '../../../prompt/findings';
import { findingForAgent, findingMessage } from '../../presentation/findingMessage';
import { FINDING_ACTIONS, FINDINGS_KEY, type FindingRows } from '../../presentation/findingRows';
import { movePlace, placeTexts, readShift, standsAt, type TextPlace, toLines } from './textPlaces';

/** A finding in the Problems view and in the list of jobs. */
export interface ShownFinding {
  /** Unique in this window. */
  id: number;
  finding: Finding;
  /** The repository. */
  root: vscode.Uri;
  /** The repository with the commit of the evidence. */
  evidenceRoot: vscode.Uri | undefined;
  page: vscode.Uri;
  /** What the page says there: a name, a value, or the target of a link. */
  text: string;
  /** Where it says so now. */
  place: TextPlace;
}

/** If there are more moves (texts times edits), the page is searched for the texts again instead. */
const MAX_MOVES = 50_000;

const PAGES = `**/*.{${PAGE_ENDINGS.join(',')}}`;

/**
 * The findings of the last check, also after a reload. Each one disappears when its text is no longer at its place, and is
 * hidden while a job that was asked to correct it is open.
 */
export class Findings implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly collection = this.owned.add(vscode.languages.createDiagnosticCollection('docsAgent.checks'));
  private readonly byPage = new Map<string, ShownFinding[]>();
  private lastId = 0;
  private prompts: readonly string[] = [];

  constructor(
    private readonly log: Logger,
    private readonly rows: Pick<FindingRows, 'set'>,
    private readonly memento: Pick<vscode.Memento, 'get' | 'update'>,
  ) {
    this.owned.add(vscode.workspace.onDidChangeTextDocument((change) => this.onEdit(change)));
    this.owned.add(vscode.workspace.onDidOpenTextDocument(({ uri }) => this.recheck(uri)));
    const watcher = this.owned.add(vscode.workspace.createFileSystemWatcher(PAGES));
    for (const listen of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
      this.owned.add(listen((page) => this.recheck(page)));
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  get all(): ShownFinding[] {
    return this.known.filter((shown) => this.isOpen(shown));
  }

  /** Also those that are hidden. */
  get known(): ShownFinding[] {
    return [...this.byPage.values()].flat();
  }

  /** The findings that a cursor or a selection touches. */
  at(page: vscode.Uri, range: vscode.Range): ShownFinding[] {
    return this.onPage(page).filter(
      (shown) => this.isOpen(shown) && rangeOf(shown.place).intersection(range) !== undefined,
    );
  }

  private onPage(page: vscode.Uri): ShownFinding[] {
    return this.byPage.get(page.toString()) ?? [];
  }

  private isOpen({ finding }: ShownFinding): boolean {
    return !this.prompts.some((prompt) => asksFor(prompt, finding.place.path, findingForAgent(finding)));
  }

  /** Hides what these prompts of open jobs ask for, and shows again what others asked for. */
  hide(prompts: readonly string[]): void {
    if (prompts.join('\0') !== this.prompts.join('\0')) {
      this.prompts = prompts;
      pagesOf(this.known).forEach((page) => this.set(page, this.onPage(page)));
    }
  }

  /** Shows what there was before a reload, where the pages still say it. */
  async restore(): Promise<void> {
    const toUri = (uri: vscode.Uri): vscode.Uri => vscode.Uri.from(uri);
    const saved = (JSON.parse(this.memento.get<string>(FINDINGS_KEY, '[]')) as ShownFinding[]).map((each) => {
      const evidenceRoot = each.evidenceRoot && toUri(each.evidenceRoot);
      return { ...each, id: ++this.lastId, root: toUri(each.root), evidenceRoot, page: toUri(each.page) };
    });
    const onPage = ({ path }: vscode.Uri): ShownFinding[] => saved.filter(({ page }) => page.path === path);
    await Promise.all(pagesOf(saved).map((page) => this.addTo(page, () => onPage(page))));
  }

  clear(): void {
    this.byPage.clear();
    this.collection.clear();
    this.save();
    this.showRows();
  }

  remove(fits: (shown: ShownFinding) => boolean): void {
    for (const page of pagesOf(this.known.filter(fits))) {
      const left = this.onPage(page).filter((each) => !fits(each));
      this.set(page, left);
    }
  }

  /**
   * Adds what a check has found on one page, unless its text is no longer on it.
   *
   * @param roots the repositories of the check, that of the page first
   */
  async add(roots: readonly [vscode.Uri, ...vscode.Uri[]], path: string, found: readonly Finding[]): Promise<void> {
    const [root] = roots;
    const page = vscode.Uri.joinPath(root, path);
    await this.addTo(page, (lines) =>
      found.map((finding): ShownFinding => {
        const place = toTextPlace(finding);
        const text = textOf(finding, lines[place.line]?.slice(place.start, place.end) ?? '');
        const evidenceRoot = roots['evidence' in finding ? (finding.evidence?.repository ?? 0) : 0];
        return { id: ++this.lastId, finding, root, evidenceRoot, page, text, place };
      }),
    );
  }

  private async addTo(page: vscode.Uri, toShown: (lines: readonly string[]) => ShownFinding[]): Promise<void> {
    const lines = await this.readLines(page);
    if (lines !== undefined) {
      this.place(page, lines, [...this.onPage(page), ...toShown(lines)]);
    }
  }

  private set(page: vscode.Uri, shown: readonly ShownFinding[]): void {
    const isOther = shown.length !== this.onPage(page).length;
    this.byPage.set(page.toString(), [...shown]);
    this.collection.set(page, shown.filter((each) => this.isOpen(each)).map(toDiagnostic));
    if (isOther) {
      this.save();
    }
    this.showRows();
  }

  /** As text, because a remote window changes URIs. Places are looked up again, so typing above them saves nothing. */
  private save(): void {
    const { known } = this;
    void this.memento.update(FINDINGS_KEY, known.length === 0 ? undefined : JSON.stringify(known));
  }

  private showRows(): void {
    this.rows.set(this.all.map((shown) => ({ id: shown.id, item: () => findingItem(shown) })));
  }

  private onEdit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const shown = this.onPage(document.uri);
    if (shown.length === 0 || contentChanges.length === 0) {
      return;
    }
    if (contentChanges.length * shown.length > MAX_MOVES) {
      this.place(document.uri, toLines(document.getText()), shown);
      return;
    }
    const shifts = contentChanges.map(readShift);
    const moved = shown.flatMap((each) => {
      // The editor lists the last change in the document first, so each one refers to positions that are still valid.
      const place = shifts.reduce<TextPlace | undefined>((at, shift) => at && movePlace(at, shift), each.place);
      return place !== undefined && isAt(document, each, place) ? [{ ...each, place }] : [];
    });
    if (moved.length < shown.length && contentChanges.some(({ range }) => !range.isSingleLine)) {
      // Lines were replaced, by a formatter or because the file was loaded again: the texts may be in the new lines.
      this.place(document.uri, toLines(document.getText()), [
        ...moved,
        ...shown.filter(({ id }) => !moved.some((each) => each.id === id)),
      ]);
    } else if (moved.length < shown.length || moved.some(({ place }, index) => place !== shown[index]?.place)) {
      this.set(document.uri, moved);
    }
  }

  /** Looks for the texts again on a page that was changed outside of an editor. */
  private recheck(page: vscode.Uri): void {
    if (this.onPage(page).length > 0) {
      this.readLines(page)
        .then((lines = []) => this.place(page, lines, this.onPage(page)))
        .catch((error: unknown) => this.log.warn('couldn’t look at a changed page', error));
    }
  }

  /** Shows the findings whose texts are still on the page. */
  private place(page: vscode.Uri, lines: readonly string[], shown: readonly ShownFinding[]): void {
    const places = placeTexts(lines, shown);
    const found = shown.flatMap((each, index) => {
      const place = places[index];
      return place === undefined ? [] : [{ ...each, place }];
    });
    this.set(
      page,
      found.toSorted((a, b) => a.place.line - b.place.line || a.place.start - b.place.start),
    );
  }

  /** The lines of a page as the user sees it; undefined if the file was deleted. */
  private async readLines(page: vscode.Uri): Promise<string[] | undefined> {
    const bytes = await Promise.resolve(vscode.workspace.fs.readFile(page)).catch(() => undefined);
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === page.toString());
    return bytes && toLines(open?.getText() ?? new TextDecoder().decode(bytes));
  }
}

/** The pages of findings, each once. */
export const pagesOf = (shown: readonly ShownFinding[]): vscode.Uri[] => [
  ...new Map(shown.map(({ page }) => [page.toString(), page])).values(),
];

function isAt(document: vscode.TextDocument, { text }: ShownFinding, place: TextPlace): boolean {
  return place.line < document.lineCount && standsAt(document.lineAt(place.line).text, text, place);
}

/**
 * The text that a finding is about: what the page has at its place, which may contain markup and escapes, continue on the
 * next line, or refer to the target of a link. If the page has changed since the check, what the finding says.
 */
function textOf(finding: Finding, there: string): string {
  const said = finding.rule === 'changed-default' ? finding.documented : subjectOf(finding);
  const [part, whole] = [plainly(there), plainly(said)];
  const isReference = 'target' in finding && /^!?\[.+\]$/.test(there);
  return there !== '' && (part.includes(whole) || isReference || (part.length > 2 && whole.startsWith(part)))
    ? there
    : said;
}

const plainly = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** Lines and columns count from 1 in a finding, and from 0 in the editor. */
function toTextPlace({ place: { line, column, endColumn } }: Finding): TextPlace {
  return { line: line - 1, start: column - 1, end: endColumn - 1 };
}

function rangeOf({ line, start, end }: TextPlace): vscode.Range {
  return new vscode.Range(line, start, line, end);
}

function toDiagnostic({ finding, place }: ShownFinding): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(rangeOf(place), findingMessage(finding), vscode.DiagnosticSeverity.Warning);
  return Object.assign(diagnostic, { source: CHECK_SOURCE, code: finding.rule });
}

const MAX_NAME = 40;

/** The row in the list: the name, the page, and what probably took its place, which is cut off first. */
export function findingItem({ id, finding, page, place }: ShownFinding): vscode.TreeItem {
  const item = new vscode.TreeItem(toLabel(subjectOf(finding), MAX_NAME));
  const now =
    finding.rule === 'changed-default' ? finding.current : 'successor' in finding ? finding.successor : undefined;
  const [path, line] = [finding.place.path, place.line + 1];
  const message = findingMessage(finding);
  item.id = `finding:${id}`;
  item.description = [
    `${toLabel(path.split('/').at(-1) ?? '')}:${line}`,
    // Not an arrow, which is blank in some fonts.
    ...(now == null ? [] : [vscode.l10n.t('now {0}', toLabel(now, MAX_NAME))]),
  ].join(' · ');
  item.tooltip = `${message}\n${toLabel(path)}:${line}`;
  item.accessibilityInformation = {
    label: `${message} ${toLabel(path)}, ${vscode.l10n.t('line {0}', numberText(line))}`,
  };
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.command = {
    command: 'vscode.open',
    title: vscode.l10n.t('Open File'),
    arguments: [page, { selection: rangeOf(place) }],
  };
  const actions = FINDING_ACTIONS.row.filter((name) => name !== 'showFindingCommit' || hasCommit(finding));
  item.contextValue = `;finding;${actions.join(';')};`;
  return item;
}

const hasCommit = (finding: Finding): boolean => 'evidence' in finding && finding.evidence !== null;

/** Offers the quick fixes of a finding. They edit no page themselves: a job does, or the finding is ignored. */
export function offerFixes(findings: Pick<Findings, 'at' | 'all'>): vscode.Disposable {
  const provideCodeActions = ({ uri }: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] => {
    const here = findings.at(uri, range);
    const { all } = findings;
    if (here.length === 0) {
      return [];
    }
    const fix = action(vscode.l10n.t('Fix with a Docs Job…'), 'docsAgent.fixFindings', here);
    const fixAllTitle = vscode.l10n.t('Fix All {0} with a Docs Job…', numberText(all.length));
    const fixAll = all.length > here.length ? [action(fixAllTitle, 'docsAgent.fixAllFindings', all)] : [];
    const commitTitle = vscode.l10n.t('Show the Commit That Caused It');
    const caused = here.filter(({ finding }) => hasCommit(finding)).slice(0, 1);
    const commit = caused.map((shown) => action(commitTitle, 'docsAgent.showFindingCommit', [shown]));
    const ignoreTitle = ({ finding }: ShownFinding): string =>
      vscode.l10n.t('Ignore “{0}”…', toLabel(subjectOf(finding), MAX_NAME));
    const ignore = here.map((shown) => action(ignoreTitle(shown), 'docsAgent.ignoreFinding', [shown]));
    return [fix, ...fixAll, ...commit, ...ignore];
  };
  const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  return vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, { provideCodeActions }, kinds);
}

function action(title: string, command: CommandId, meant: readonly ShownFinding[]): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { command, title, arguments: [{ findings: meant.map(({ id }) => id) }] };
  return made;
}
