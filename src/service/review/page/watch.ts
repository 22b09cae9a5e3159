import type { PageState, Service } from './service';

const ACTIVE_MS = 1_500;
const IDLE_MS = 10_000;
const MAX_MS = 60_000;

/** Asks for the job's state again and again, seldom while nothing goes on or nobody looks. */
export interface Watch {
  /** Takes a state that came with another answer, and asks again soon. */
  take(state: PageState): void;
}

export function openWatch(service: Service, isActive: boolean, onState: (state: PageState) => void): Watch {
  let pause = isActive ? ACTIVE_MS : IDLE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const plan = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), pause);
  };
  const take = (state: PageState): void => {
    pause = state.status === 'active' ? ACTIVE_MS : IDLE_MS;
    onState(state);
    plan();
  };
  const look = async (): Promise<void> => {
    if (document.hidden) {
      return;
    }
    try {
      const state = await service.state();
      if (state !== undefined) {
        take(state);
        return;
      }
      pause = Math.min(pause, IDLE_MS);
    } catch {
      pause = Math.min(pause * 2, MAX_MS);
    }
    plan();
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      void look();
    }
  });
  plan();
  return { take };
}
