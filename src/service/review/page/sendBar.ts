import type { Drafts, Pending } from './drafts';
import type { Notices } from './notices';
import { type PageState, Refused, type Service } from './service';
import { t } from './words';

/** The bar with the button that sends all comments as one follow-up. */
export interface SendBar {
  /** Shows how many comments there are. */
  update(): void;
  /** Asks the service whether a sending that was not answered has arrived. Does nothing when there is none. */
  settle(): Promise<void>;
}

export interface SendBarParts {
  drafts: Drafts;
  service: Service;
  notices: Notices;
  /** The commit that the page shows. */
  commit: string;
  /** Called when comments have arrived. */
  onArrived: () => void;
  onState: (state: PageState) => void;
}

export function openSendBar({ drafts, service, notices, commit, onArrived, onState }: SendBarParts): SendBar {
  const bar = document.querySelector<HTMLElement>('#send');
  const button = document.querySelector<HTMLButtonElement>('#send-button');
  const words = document.querySelector('#send-words');
  let isSending = false;

  const update = (): void => {
    const count = drafts.written().length;
    if (bar === null || button === null || words === null) {
      return;
    }
    bar.hidden = count === 0;
    const send = count === 1 ? t('Send 1 comment') : t('Send {0} comments', count);
    button.textContent = isSending ? t('Sending…') : send;
    button.setAttribute('aria-disabled', String(isSending));
    words.textContent =
      count === 1 ? t('It goes to the agent as one follow-up.') : t('They go to the agent as one follow-up.');
  };

  const arrived = (pending: Pending, state: PageState): void => {
    drafts.arrived(pending.comments);
    onArrived();
    onState(state);
    notices.say(t('Your comments have arrived. The agent works on them.'));
  };

  const settle = async (): Promise<void> => {
    const pending = drafts.pending();
    if (pending === undefined) {
      return;
    }
    const state = await service.state(true);
    if (state?.sent.includes(pending.id) === true) {
      arrived(pending, state);
    }
  };

  const send = async (): Promise<void> => {
    await settle();
    const comments = drafts.written().map((draft) => ({ ...draft }));
    if (comments.length === 0) {
      return;
    }
    const before = drafts.pending();
    const again = before !== undefined && JSON.stringify(before.comments) === JSON.stringify(comments);
    const pending = again ? before : { id: crypto.randomUUID(), commit, comments };
    drafts.setPending(pending);
    arrived(pending, await service.comment(pending, again));
  };

  const sendOnce = async (): Promise<void> => {
    if (isSending) {
      return;
    }
    isSending = true;
    update();
    try {
      await send();
    } catch (error) {
      const refused = error instanceof Refused ? error : new Refused(String(error), false);
      const next = refused.isAnswer ? [] : [t('Nothing is sent twice if you send again.')];
      notices.warn([refused.message, t('Your comments are kept here.'), ...next].join(' '));
      if (!refused.isAnswer) {
        await settle().catch(() => undefined);
      }
    } finally {
      isSending = false;
      update();
    }
  };
  button?.addEventListener('click', () => void sendOnce());
  return { update, settle };
}
