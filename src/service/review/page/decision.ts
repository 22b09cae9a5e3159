import { Refused, type Service, type Shown } from './service';
import { t } from './words';

/** The buttons that merge or close the work, and what came of it beside them. */
export function openDecision(service: Service, shown: Shown, onDecided: (state: 'merged' | 'closed') => void): void {
  const actions = document.querySelector<HTMLElement>('#actions');
  const result = document.querySelector<HTMLElement>('#decided');
  const buttons = ['#merge', '#close'].map((name) => document.querySelector<HTMLButtonElement>(name));
  const [merge, close] = buttons;
  if (actions === null || result === null || merge == null || close == null) {
    return;
  }
  actions.hidden = false;
  let isBusy = false;

  const decide = async (beginning: string, work: () => Promise<string>, state: 'merged' | 'closed'): Promise<void> => {
    if (isBusy) {
      return;
    }
    isBusy = true;
    buttons.forEach((button) => button?.setAttribute('aria-disabled', 'true'));
    result.dataset['kind'] = 'busy';
    result.textContent = beginning;
    try {
      result.textContent = await work();
      result.dataset['kind'] = 'good';
      hideChoices();
      // The button that had the focus is gone.
      result.focus();
      onDecided(state);
    } catch (error) {
      result.dataset['kind'] = 'bad';
      const unsure = error instanceof Refused && !error.isAnswer ? [t('Nothing happens twice if you try again.')] : [];
      result.textContent = [error instanceof Error ? error.message : String(error), ...unsure].join(' ');
      buttons.forEach((button) => button?.removeAttribute('aria-disabled'));
      isBusy = false;
    }
  };

  merge.addEventListener('click', () => {
    const work = async (): Promise<string> => {
      const { kind, branch } = await service.merge(shown);
      const how: Record<string, string> = {
        'fast-forward': t('Merged: your branch “{0}” moved forward.', branch),
        merge: t('Merged: your branch “{0}” got a merge commit.', branch),
      };
      return how[kind] ?? t('Your branch “{0}” holds this work already.', branch);
    };
    void decide(t('Merging…'), work, 'merged');
  });
  close.addEventListener('click', () => {
    const work = async (): Promise<string> => {
      await service.close();
      return t('Closed. Nothing was merged; the branch is still there.');
    };
    void decide(t('Closing…'), work, 'closed');
  });
}

function hideChoices(): void {
  for (const part of document.querySelectorAll<HTMLElement>('#choices, #by-hand')) {
    part.hidden = true;
  }
}
