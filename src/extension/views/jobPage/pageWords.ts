import * as vscode from 'vscode';
import type { PageWords } from './model';

const { t } = vscode.l10n;

/** The texts that stand on each page. */
export function pageWords(): PageWords {
  return {
    timeline: t('Timeline'),
    story: t('What the agent did'),
    plan: t('Plan'),
    changes: t('Changed files'),
    followUp: t('Follow-up'),
    prompt: t('Prompt'),
    now: t('Now'),
    showAll: t('Show all'),
    showLess: t('Show less'),
    sending: t('Sending…'),
    binary: t('Binary file'),
    turn: t('Turn {0}', '{0}'),
    earlier: t('Earlier steps that are not shown: {0}', '{0}'),
    moreFiles: t('Further files: {0}', '{0}'),
    stepStates: { pending: t('To do'), in_progress: t('In progress'), completed: t('Done') },
    fileKinds: { added: t('Added'), changed: t('Changed'), deleted: t('Deleted'), renamed: t('Renamed') },
    emptyPrompt: t('Type what the agent should do. An empty prompt is not sent.'),
  };
}
