import * as vscode from 'vscode';
import { COMMANDS, SETTINGS } from '../../../ids';
import { showErrorWithLog } from '../../../platform/log';
import { firstLine, toNotice, toPickLabel } from '../../../platform/sanitize';
import { openSetting } from '../../../settings';
import { type FoundTemplates, type PromptTemplate, type TemplateSource, translateShipped } from './findTemplates';

const OPEN: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('go-to-file'),
  tooltip: vscode.l10n.t('Open File'),
};
const SETTING: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('gear'),
  tooltip: vscode.l10n.t('Open Setting'),
};

type Item = vscode.QuickPickItem & { template?: PromptTemplate; run?: () => Thenable<unknown> };

/**
 * Returns the user's choice; undefined when cancelled, or when the user chose to continue elsewhere.
 *
 * @param create creates a team template
 */
export function pickTemplate(found: FoundTemplates, create: () => Promise<void>): Promise<PromptTemplate | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Insert prompt template');
  pick.placeholder = vscode.l10n.t('Select a template to insert');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = [...rows(found), ...newRows(create)];
  return new Promise((resolve) => {
    const leaveFor = (other: () => Thenable<unknown>): void => {
      pick.hide();
      void Promise.resolve(other()).catch((error: unknown) => {
        const why = vscode.l10n.t('Couldn’t open this: {0}', error instanceof Error ? error.message : String(error));
        void showErrorWithLog(toNotice(why, 400));
      });
    };
    pick.onDidTriggerItemButton(({ item: { template } }) => leaveFor(() => openTemplate(template)));
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.run !== undefined) {
        leaveFor(item.run);
      } else if (item !== undefined) {
        resolve(item.template);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
}

/** Opens a template's file, or the setting that contains it. */
function openTemplate(template: PromptTemplate | undefined): Thenable<unknown> {
  return template?.uri === undefined
    ? openSetting(SETTINGS.promptTemplates)
    : vscode.window.showTextDocument(template.uri);
}

function rows({ templates, waiting, refused }: FoundTemplates): Item[] {
  const of = (source: TemplateSource): Item[] => templates.filter((each) => each.source === source).map(row);
  const team = [...of('team'), ...(waiting === 0 ? [] : [trustRow(waiting)]), ...refused.map(refusedRow)];
  return [
    ...group(vscode.l10n.t('from your team'), team),
    ...group(vscode.l10n.t('yours'), of('yours')),
    ...group(vscode.l10n.t('built in'), of('shipped')),
  ];
}

/** A team's templates are files of a folder. */
function newRows(create: () => Promise<void>): Item[] {
  const label = `$(new-file) ${vscode.l10n.t('New team prompt template…')}`;
  const isFolderOpen = (vscode.workspace.workspaceFolders ?? []).length > 0;
  return isFolderOpen ? group('', [{ label, alwaysShow: true, run: create }]) : [];
}

function group(label: string, items: Item[]): Item[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function row(template: PromptTemplate): Item {
  const { name, description, text, uri, flaw, source } = template;
  const detail = flaw === undefined ? firstLine(text) : `$(warning) ${toPickLabel(flaw)}`;
  return {
    label: toPickLabel(source === 'shipped' ? translateShipped(name) : name),
    description: toPickLabel(description ?? ''),
    detail: flaw === undefined ? toPickLabel(detail) : detail,
    buttons: [uri === undefined ? SETTING : OPEN],
    template,
  };
}

function trustRow(waiting: number): Item {
  return {
    label: `$(shield) ${waiting === 1 ? vscode.l10n.t('1 team template is disabled') : vscode.l10n.t('{0} team templates are disabled', waiting)}`,
    description: vscode.l10n.t('until you trust this workspace'),
    alwaysShow: true,
    run: () => vscode.commands.executeCommand('workbench.trust.manage'),
  };
}

function refusedRow(why: string): Item {
  return {
    label: `$(warning) ${toPickLabel(why)}`,
    alwaysShow: true,
    run: () => vscode.commands.executeCommand(COMMANDS.showLog),
  };
}
