const review = document.querySelector<HTMLElement>('#review');
const { token = '', silent = '', status: job = '', commit = '', into = '', head = '' } = review?.dataset ?? {};

/** How often a page of a job in progress asks whether it has ended. */
const POLL_MS = 2_000;
/** A merge takes as long as git does. */
const LIMIT_MS = 180_000;

const ask = (name: string, init: RequestInit = {}): Promise<Response> => {
  const address = `${location.pathname.replace(/\/$/, '')}/${name}`;
  // eslint-disable-next-line no-restricted-globals -- a browser has nothing else, and each POST may be sent twice
  return fetch(address, { ...init, cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) });
};

/** Sends what a button is for, then shows the page anew; or shows beside the button why it was refused. */
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
// The same id again is the same message, whose answer was lost.
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
    // Some browsers keep what was typed over a reload.
    if (text !== null) {
      text.value = '';
    }
  },
);
connect(button('merge'), () => ({ commit, into, head }));
connect(button('close'), () => ({}));

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
