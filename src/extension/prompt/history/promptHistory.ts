import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import { firstLine, toPickLabel } from '../../text';
import { projectLabel, relativeTime } from '../../views/jobWords';
import type { PromptDesk } from '../promptDesk';
import { type SentPrompt, sentPrompts } from './sentPrompts';

const { t } = vscode.l10n;

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: t('Copy') };

/** So many characters below the first line are shown and searched. */
const SEARCHED = 400;

export interface PromptHistoryOptions {
  store: Pick<JobStore, 'jobs'>;
  desk: PromptDesk;
}

type Item = vscode.QuickPickItem & { prompt: SentPrompt };

/** Offers every prompt that was sent from this machine; the one that is chosen goes into the prompt at hand, or opens one. */
export async function promptHistory({ store, desk }: PromptHistoryOptions): Promise<void> {
  const prompts = sentPrompts(store.jobs);
  if (prompts.length === 0) {
    void vscode.window.showInformationMessage(t('No prompt was sent from here yet. Begin with “Compose Prompt”.'));
    return;
  }
  const chosen = await choose(prompts);
  if (chosen !== undefined) {
    await desk.add({ instruction: chosen.text, blocks: [], refused: [] });
  }
}

function choose(prompts: readonly SentPrompt[]): Promise<SentPrompt | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = t('Use a sent prompt again');
  pick.placeholder = prompts.length === 1 ? t('Search in 1 prompt') : t('Search in {0} prompts', prompts.length);
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = prompts.map(row);
  return new Promise((resolve) => {
    pick.onDidTriggerItemButton(({ item }) => {
      void vscode.env.clipboard.writeText(item.prompt.text);
      vscode.window.setStatusBarMessage(t('Prompt copied'), 3000);
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.prompt);
      pick.hide();
    });
    pick.onDidHide(() => {
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
}

/** The first line, and so much of what follows as a search goes through. */
function row(prompt: SentPrompt): Item {
  const { text, at, job } = prompt;
  const first = firstLine(text);
  const rest = text.slice(text.indexOf(first) + first.length).slice(0, SEARCHED);
  const where = [projectLabel(job), relativeTime(at, Date.now()), job.untracked ? t('removed from the list') : ''];
  return {
    label: toPickLabel(first),
    description: toPickLabel(where.filter((part) => part !== '').join(' · ')),
    detail: toPickLabel(rest, SEARCHED),
    buttons: [COPY],
    prompt,
  };
}
