import * as vscode from 'vscode';
import type { PageWords } from './model';

/** The texts that stand on each page. */
export function pageWords(): PageWords {
  return {
    timeline: vscode.l10n.t('Timeline'),
    story: vscode.l10n.t('What the agent did'),
    plan: vscode.l10n.t('Plan'),
    changes: vscode.l10n.t('Changed files'),
    followUp: vscode.l10n.t('Follow-up'),
    prompt: vscode.l10n.t('Prompt'),
    now: vscode.l10n.t('Now'),
    showAll: vscode.l10n.t('Show all'),
    showLess: vscode.l10n.t('Show less'),
    sending: vscode.l10n.t('Sending…'),
    binary: vscode.l10n.t('Binary file'),
    turn: vscode.l10n.t('Turn {0}', '{0}'),
    earlier: vscode.l10n.t('Earlier steps that are not shown: {0}', '{0}'),
    moreFiles: vscode.l10n.t('Further files: {0}', '{0}'),
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
    emptyPrompt: vscode.l10n.t('Type what the agent should do. An empty prompt is not sent.'),
  };
}
