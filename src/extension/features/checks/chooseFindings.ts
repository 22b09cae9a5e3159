import * as vscode from 'vscode';
import { renderFindings } from '../../../prompt/findings';
import { type Finding, subjectOf } from '../../../checks/finding';
import type { App } from '../../app';
import { numberText } from '../../platform/numberText';
import { toPickLabel } from '../../platform/sanitize';
import { findingForAgent } from '../../presentation/findingMessage';
import type { Findings, ShownFinding } from './findings';

/** Maximum number of preselected findings. With more, the user is unlikely to want all of them in one job. */
const MAX_PRESELECTED = 20;

/** What is corrected, for the title of a prompt. */
const KINDS: Readonly<Record<Finding['rule'], string>> = {
  'gone-name': 'outdated name',
  'changed-default': 'outdated default',
  'unknown-name': 'unknown name',
  'broken-link': 'broken link',
  'missing-image': 'missing image',
  'invalid-code': 'invalid example',
};

interface FindingItem extends vscode.QuickPickItem {
  shown?: ShownFinding;
}

/** Lets the user pick findings of one repository, and starts a prompt about them. */
export async function chooseFindings(options: App, findings: Findings): Promise<void> {
  const own = await ofOneRepository(findings.all);
  if (own.length === 0) {
    return;
  }
  const picked = await vscode.window.showQuickPick(toItems(own), {
    title: vscode.l10n.t('Select what to fix'),
    placeHolder: vscode.l10n.t('You can review the prompt before it’s sent'),
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  const meant = (picked ?? []).flatMap(({ shown }) => shown ?? []);
  await (meant.length > 0 && composeFix(options, meant));
}

/** Starts a prompt about these findings, or those of them in one repository. */
export async function fixFindings(options: App, meant: readonly ShownFinding[]): Promise<void> {
  const own = await ofOneRepository(meant);
  await (own.length > 0 && composeFix(options, own));
}

/** Opens a prompt with the evidence. The user reviews and sends it like any other. */
async function composeFix({ projects, composer }: App, meant: readonly ShownFinding[]): Promise<void> {
  const location = await projects.choose(undefined, meant[0]?.page);
  if (location === undefined) {
    return;
  }
  const { text, leftOut } = renderFindings(
    meant.map(({ finding, place }) => ({
      ...{ path: finding.place.path, line: place.line + 1 },
      ...{ what: KINDS[finding.rule], text: findingForAgent(finding) },
    })),
  );
  await composer.openForLocation(location, text);
  if (leftOut > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Problems that didn’t fit in this prompt: {0}. Send another prompt for them.', numberText(leftOut)),
    );
  }
}

/** Asks for a repository, because a job works on only one. Empty when cancelled. */
async function ofOneRepository(all: readonly ShownFinding[]): Promise<readonly ShownFinding[]> {
  const roots = new Map(all.map(({ root }) => [root.toString(), root]));
  if (roots.size <= 1) {
    return all;
  }
  const items = [...roots.values()].map((root) => ({
    label: toPickLabel(root.path.split('/').at(-1) ?? ''),
    description: toPickLabel(vscode.workspace.asRelativePath(root, true)),
    root,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Select a repository') });
  return all.filter(({ root }) => root.toString() === picked?.root.toString());
}

function toItems(all: readonly ShownFinding[]): FindingItem[] {
  return [...Map.groupBy(all, ({ finding }) => finding.place.path)].flatMap(([path, shown]) => [
    { label: toPickLabel(path), kind: vscode.QuickPickItemKind.Separator },
    ...shown.toSorted((a, b) => a.place.line - b.place.line).map((each) => toItem(each, all.length <= MAX_PRESELECTED)),
  ]);
}

function toItem(shown: ShownFinding, picked: boolean): FindingItem {
  const { finding } = shown;
  const successor = 'successor' in finding ? finding.successor : null;
  const change = finding.rule === 'changed-default' ? `${finding.documented} → ${finding.current}` : undefined;
  const subject = 'evidence' in finding ? finding.evidence?.commit.subject : undefined;
  const line = vscode.l10n.t('line {0}', numberText(shown.place.line + 1));
  const likely = successor === null ? undefined : vscode.l10n.t('probably {0}', successor);
  const description = [line, change, likely, subject].filter((part) => part !== undefined).join(' · ');
  return { label: toPickLabel(subjectOf(finding)), description: toPickLabel(description), picked, shown };
}
