const review = document.querySelector<HTMLElement>('#review');
const { token = '', silent = '', status: job = '', commit = '', into = '', head = '' } = review?.dataset ?? {};

/** How often the page of an active job polls for its end, in milliseconds. */
const POLL_MS = 2_000;
/** Timeout of a request, in milliseconds. A merge takes as long as git does. */
const LIMIT_MS = 180_000;

const ask = (name: string, init: RequestInit = {}): Promise<Response> => {
  const address = `${location.pathname.replace(/\/$/, '')}/${name}`;
  // eslint-disable-next-line no-restricted-globals -- a browser has nothing else, and each POST may be sent twice
  return fetch(address, { ...init, cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) });
};

/** Sends a button's request, then reloads the page. On failure, shows the error next to the button. */
function connect(button: HTMLButtonElement | null, body: () => object | undefined, done = (): void => undefined): void {
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
    isBusy = true;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = button.dataset['busy'] ?? label;
    result.textContent = '';
    const headers = { 'Content-Type': 'application/json', 'X-Docs-Agent-Page': token };
    void ask(button.id, { method: 'POST', headers, body: JSON.stringify(what) })
      .then(async (response) => (response.ok ? undefined : ((await response.json()) as { error: string }).error))
      .catch(() => silent)
      .then((error) => {
        if (error === undefined) {
          done();
          location.reload();
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
const text = document.querySelector<HTMLTextAreaElement>('#text');
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
    // Some browsers keep form input across a reload.
    if (text !== null) {
      text.value = '';
    }
  },
);
connect(button('merge'), () => ({ commit, into, head }));
connect(button('close'), () => ({}));
connect(button('reopen'), () => ({}));

if (job === 'active') {
  setInterval(() => {
    if (document.hidden || text?.value.trim()) {
      return;
    }
    void ask('state')
      .then(async (response) => {
        if (((await response.json()) as { status: string }).status !== 'active') {
          location.reload();
        }
      })
      .catch(() => undefined);
  }, POLL_MS);
}
