import { openComments } from './comments';
import { openDecision } from './decision';
import { diffTable, type View } from './diffTable';
import { openDrafts } from './drafts';
import { openNotices } from './notices';
import { openSendBar } from './sendBar';
import { connect, type PageState } from './service';
import { openWatch } from './watch';
import { t } from './words';

const VIEW_KEY = 'docs-agent-view';

/** What the server says of the page. */
const { token = '', commit = '', status = '', review = '', turns = '', into = '', head = '' } = document.body.dataset;

const isOpen = review === 'open';
const notices = openNotices();
const service = connect(token);
// The last part of the path is another one after each start of the service.
const [, , jobId = '', start = ''] = location.pathname.split('/');
const places = { tab: sessionStorage, copy: localStorage, key: `docs-agent-drafts ${jobId}`, start };
const drafts = openDrafts(places, () => bar.update());
const tables = [...document.querySelectorAll<HTMLElement>('article')]
  .map((article) => diffTable(article, isOpen))
  .filter((table) => table !== undefined);
const comments = openComments(tables, drafts, (words) => notices.whisper(words));
const bar = openSendBar({
  ...{ drafts, service, notices, commit },
  onArrived: () => comments.refresh(),
  onState: (state) => watch.take(state),
});
const watch = openWatch(service, status === 'active', showState);

openDecision(service, { commit, into, head }, showReview);
openViews();
bar.update();
void bar.settle().catch(() => undefined);

function openViews(): void {
  const tools = document.querySelector<HTMLElement>('#tools');
  const buttons = [...(tools?.querySelectorAll<HTMLButtonElement>('button[data-view]') ?? [])];
  const show = (view: View): void => {
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset['view'] === view));
    }
    comments.show(view);
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const view = button.dataset['view'] === 'split' ? 'split' : 'unified';
      remember(view);
      show(view);
    });
  }
  if (tools !== null) {
    tools.hidden = false;
    tools.querySelector<HTMLElement>('.hint')?.toggleAttribute('hidden', !isOpen);
  }
  show(remembered());
}

function remember(view: View): void {
  try {
    sessionStorage.setItem(VIEW_KEY, view);
  } catch {
    // A browser that keeps nothing shows the unified view next time.
  }
}

function remembered(): View {
  try {
    return sessionStorage.getItem(VIEW_KEY) === 'split' ? 'split' : 'unified';
  } catch {
    return 'unified';
  }
}

function showState(state: PageState): void {
  if (state.status === 'active') {
    setState('active', t('In progress'));
    notices.say(t('The agent works on the newest message. This page tells when it has ended.'));
  } else if (state.commit !== commit) {
    setState('ready', t('Ready for review'));
    notices.offerReload(t('The agent has ended, and there are new changes.'));
  } else if (state.review !== 'open') {
    showReview(state.review);
  } else if (state.turns !== Number(turns) || status === 'active') {
    const failed = state.status === 'failed';
    setState(failed ? 'failed' : 'ready', failed ? t('Failed') : t('Ready for review'));
    notices.offerReload(
      failed ? t('The agent failed: {0}', state.error ?? '') : t('The agent has ended and changed nothing more.'),
    );
  }
}

function showReview(decided: 'merged' | 'closed'): void {
  setState(decided, decided === 'merged' ? t('Merged') : t('Closed'));
}

function setState(state: string, words: string): void {
  const pill = document.querySelector<HTMLElement>('#state');
  const word = pill?.querySelector('.word');
  if (pill != null && word != null) {
    pill.dataset['state'] = state;
    word.textContent = words;
  }
}
