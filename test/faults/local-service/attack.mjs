// Runs in a hostile page: tries every way in which a page can make its browser send a request to another server, and
// reports what it could read.

const PATIENCE_MS = 15_000;

const requestInit = ({ method, body, headers, mode }) => ({
  ...{ method, headers, mode, credentials: 'include' },
  ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
});

const textOf = (frame) => {
  try {
    return frame.contentDocument?.documentElement?.textContent ?? '';
  } catch {
    return '';
  }
};

const inFrame = (prepare) =>
  new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = `frame${Math.random()}`;
    const done = () => {
      const text = textOf(frame);
      frame.remove();
      resolve(text);
    };
    document.body.append(frame);
    prepare(frame);
    frame.addEventListener('load', () => setTimeout(done, 0));
    setTimeout(done, PATIENCE_MS);
  });

const element = (tag, attribute, url) =>
  new Promise((resolve) => {
    const node = document.createElement(tag);
    const done = () => {
      node.remove();
      resolve('');
    };
    node.addEventListener('load', done);
    node.addEventListener('error', done);
    setTimeout(done, PATIENCE_MS);
    if (tag === 'link') {
      node.rel = 'stylesheet';
    }
    node[attribute] = url;
    document.body.append(node);
  });

const ways = {
  fetch: async (attack) => (await fetch(attack.url, requestInit(attack))).text(),
  form: (attack) =>
    inFrame((frame) => {
      const form = document.createElement('form');
      Object.assign(form, { method: attack.method === 'GET' ? 'GET' : 'POST', action: attack.url, target: frame.name });
      form.enctype = attack.enctype;
      const input = document.createElement('input');
      // As text/plain this produces JSON: name, "=", value.
      input.name = attack.body.slice(0, -2);
      input.value = attack.body.slice(-2);
      form.append(input);
      document.body.append(form);
      form.submit();
      form.remove();
    }),
  iframe: ({ url }) => inFrame((frame) => (frame.src = url)),
  img: ({ url }) => element('img', 'src', url),
  script: ({ url }) => element('script', 'src', url),
  link: ({ url }) => element('link', 'href', url),
  video: ({ url }) => element('video', 'src', url),
  object: ({ url }) => element('object', 'data', url),
  module: async ({ url }) => String(await import(url)),
  beacon: async ({ url, body, headers }) => {
    const type = headers['Content-Type'] ?? 'text/plain';
    navigator.sendBeacon(url, new Blob([body], { type }));
    return '';
  },
  socket: ({ url }) =>
    new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.onopen = () => resolve('opened');
      socket.onmessage = ({ data }) => resolve(String(data));
      socket.onerror = () => resolve('');
    }),
  events: ({ url }) =>
    new Promise((resolve) => {
      const source = new EventSource(url, { withCredentials: true });
      const done = (text) => {
        source.close();
        resolve(text);
      };
      source.onopen = () => done('opened');
      source.onmessage = ({ data }) => done(String(data));
      source.onerror = () => done('');
    }),
};

/** Resolves to what each attack could read; '' for nothing. */
window.attack = (attacks) =>
  Promise.all(
    attacks.map((each) => {
      const late = new Promise((resolve) => setTimeout(() => resolve(''), PATIENCE_MS + 500));
      return Promise.race([ways[each.way](each).catch(() => ''), late]);
    }),
  );
