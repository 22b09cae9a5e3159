import * as vscode from 'vscode';
import type { PageLabels } from './model';

/** The fixed texts of every page. */
export function pageLabels(): PageLabels {
  return {
    history: vscode.l10n.t('History'),
    activity: vscode.l10n.t('Agent activity'),
    plan: vscode.l10n.t('Plan'),
    summary: vscode.l10n.t('Agent’s summary'),
    latest: vscode.l10n.t('Latest from the agent'),
    changes: vscode.l10n.t('What changed'),
    details: vscode.l10n.t('Details'),
    newChanges: vscode.l10n.t('Show New Changes'),
    summaryOf: vscode.l10n.t('Agent’s summary of run {0}', '{0}'),
    changesOfAll: vscode.l10n.t('What changed in all runs'),
    reviewAll: vscode.l10n.t('Review Changes'),
    followUp: vscode.l10n.t('Follow-up'),
    prompt: vscode.l10n.t('Prompt'),
    showAll: vscode.l10n.t('Show All'),
    showLess: vscode.l10n.t('Show less'),
    sending: vscode.l10n.t('Sending…'),
    binary: vscode.l10n.t('Binary file'),
    before: vscode.l10n.t('Before'),
    after: vscode.l10n.t('After'),
    noPicture: vscode.l10n.t('Not shown here: the image is larger than 700 KB, or the job has too many images.'),
    noText: vscode.l10n.t('Only spaces and line breaks changed.'),
    turn: vscode.l10n.t('Run {0}', '{0}'),
    oneEarlier: vscode.l10n.t('1 earlier step hidden'),
    earlier: vscode.l10n.t('{0} earlier steps hidden', '{0}'),
    oneFile: vscode.l10n.t('1 file'),
    files: vscode.l10n.t('{0} files', '{0}'),
    oneMoreFile: vscode.l10n.t('1 more file'),
    moreFiles: vscode.l10n.t('{0} more files', '{0}'),
    showOneParagraph: vscode.l10n.t('Show 1 changed paragraph'),
    showParagraphs: vscode.l10n.t('Show {0} changed paragraphs', '{0}'),
    moreText: vscode.l10n.t('This file has more changes than can be shown here.'),
    renamed: vscode.l10n.t('renamed from {0}', '{0}'),
    stepStates: {
      pending: vscode.l10n.t('To do'),
      in_progress: vscode.l10n.t('In progress'),
      completed: vscode.l10n.t('Done'),
    },
    fileKinds: {
      added: vscode.l10n.t('Added'),
      changed: vscode.l10n.t('Changed'),
      deleted: vscode.l10n.t('Deleted'),
      renamed: vscode.l10n.t('Renamed'),
    },
    emptyPrompt: vscode.l10n.t('Enter a prompt.'),
    askToFix: vscode.l10n.t('Ask the Agent to Fix…'),
  };
}
