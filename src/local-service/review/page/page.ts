const review = document.querySelector<HTMLElement>('#review');
const {
  token = '',
  silent = '',
  unsent = '',
  status: job = '',
  checking = '',
  commit = '',
  into = '',
  head = '',
} = review?.dataset ?? {};
const text = document.querySelector<HTMLTextAreaElement>('#text');

/** How often the page polls for the end of a run, or of the check, which usually takes a second, in milliseconds. */
const POLL_MS = 2_000;
const POLL_CHECK_MS = 500;
/** Timeout of a request, in milliseconds. A merge takes as long as git does. */
const LIMIT_MS = 180_000;

const ask = (name: string, init: RequestInit = {}): Promise<Response> => {
  const address = `${location.pathname.replace(/\/$/, '')}/${name}`;
  // oxlint-disable-next-line no-restricted-globals -- a browser has nothing else, and each POST may be sent twice
  return fetch(address, { ...init, cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) });
};

/** The number of requests of buttons that have no response yet. A reload would hide it. */
let pending = 0;

/** Whether the next version of the page is on its way. Asking for it again would begin anew, and might never end. */
let isReloading = false;

/** Reloads the page and keeps what has been typed. */
function reload(): void {
  isReloading = true;
  if (text !== null) {
    sessionStorage.setItem(location.pathname, text.value);
  }
  location.reload();
}

if (text !== null) {
  text.value = sessionStorage.getItem(location.pathname) ?? text.value;
  sessionStorage.removeItem(location.pathname);
}

/**
 * Sends a button's request, then reloads the page. On failure, shows the error next to the button.
 *
 * @param body what to send, or why nothing is sent
 */
function connect(
  button: HTMLButtonElement | null,
  body: () => object | string | undefined,
  done = (): void => undefined,
): void {
  const result = button?.closest('section, footer')?.querySelector<HTMLElement>('.result');
  if (button === null || result == null) {
    return;
  }
  const label = button.textContent;
  let isBusy = false;
  button.addEventListener('click', () => {
    const what = body();
    if (isBusy || what === undefined) {
      return;
    }
    if (typeof what === 'string') {
      result.textContent = what;
      return;
    }
    isBusy = true;
    pending++;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = button.dataset['busy'] ?? label;
    result.textContent = '';
    const headers = { 'Content-Type': 'application/json', 'X-Docs-Agent-Page': token };
    void ask(button.id, { method: 'POST', headers, body: JSON.stringify(what) })
      .then(async (response) => (response.ok ? undefined : ((await response.json()) as { error: string }).error))
      .catch(() => silent)
      .then((error) => {
        pending--;
        if (error === undefined) {
          done();
          reload();
          return;
        }
        result.textContent = error;
        button.textContent = label;
        button.removeAttribute('aria-disabled');
        isBusy = false;
      });
  });
}

const button = (id: string) => document.querySelector<HTMLButtonElement>(`#${id}`);
// The same id again means a retry of the same message, whose response was lost.
let message = { id: crypto.randomUUID(), text: '' };

connect(
  button('send'),
  () => {
    const typed = text?.value.trim() ?? '';
    if (typed === '') {
      text?.focus();
      return undefined;
    }
    message = typed === message.text ? message : { id: crypto.randomUUID(), text: typed };
    return message;
  },
  () => {
    // More may have been typed in the meantime.
    if (text?.value.trim() === message.text) {
      text.value = '';
    }
  },
);
/** After a decision, the page has no box for a follow-up. */
const decide = (what: object) => (): object | string => {
  const isTyped = (text?.value.trim() ?? '') !== '';
  return isTyped ? unsent : what;
};
connect(button('merge'), decide({ commit, into, head }));
connect(button('close'), decide({}));
connect(button('reopen'), () => ({}));

/** Whether something that the page waits for has ended. */
function isNewer(state: { status: string; isChecking: boolean }): boolean {
  return (job === 'active' && state.status !== 'active') || (checking === 'true' && !state.isChecking);
}

if (job === 'active' || checking === 'true') {
  setInterval(
    () => {
      if (document.hidden || pending > 0 || isReloading || text?.value.trim()) {
        return;
      }
      void ask('state')
        .then(async (response) => {
          const state = (await response.json()) as Parameters<typeof isNewer>[0];
          if (pending === 0 && !isReloading && isNewer(state)) {
            reload();
          }
        })
        .catch(() => undefined);
    },
    job === 'active' ? POLL_MS : POLL_CHECK_MS,
  );
}
