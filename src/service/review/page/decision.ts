import { Refused, type Service, type Shown } from './service';

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
      const unsure = error instanceof Refused && !error.isAnswer ? ' Nothing happens twice if you try again.' : '';
      result.textContent = `${error instanceof Error ? error.message : String(error)}${unsure}`;
      buttons.forEach((button) => button?.removeAttribute('aria-disabled'));
      isBusy = false;
    }
  };

  merge.addEventListener('click', () => {
    const work = async (): Promise<string> => {
      const { kind, branch } = await service.merge(shown);
      const how: Record<string, string> = {
        'fast-forward': `Merged: your branch “${branch}” moved forward.`,
        merge: `Merged: your branch “${branch}” got a merge commit.`,
      };
      return how[kind] ?? `Your branch “${branch}” holds this work already.`;
    };
    void decide('Merging…', work, 'merged');
  });
  close.addEventListener('click', () => {
    const work = async (): Promise<string> => {
      await service.close();
      return 'Closed. Nothing was merged; the branch is still there.';
    };
    void decide('Closing…', work, 'closed');
  });
}

function hideChoices(): void {
  for (const part of document.querySelectorAll<HTMLElement>('#choices, #by-hand')) {
    part.hidden = true;
  }
}
