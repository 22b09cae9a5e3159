import fc from 'fast-check';

/** One request that a hostile page tries to send. */
export interface PageAttack {
  way: string;
  url: string;
  method: string;
  mode: string;
  enctype: string;
  headers: Record<string, string>;
  body: string;
}

/** What the attacker may have learned or can guess. */
export interface KnownToAttacker {
  origin: string;
  projectId: string;
  /** The user's repository. */
  repo: string;
  jobId: string;
  key: string;
}

const WAYS = [
  ...['fetch', 'fetch', 'fetch', 'form', 'form', 'iframe', 'img', 'script', 'link', 'video', 'object'],
  ...['module', 'beacon', 'socket', 'events'],
];

/**
 * Returns the attacks whose answers Playwright must report; some others are reported, too. It reports neither
 * WebSockets nor `/favicon.ico`. Without CORS, `fetch` refuses all methods but GET, HEAD, and POST. From another origin,
 * a browser sends some attacks only after a preflight request, and hides some answers. Of equal requests, a browser may
 * send only one.
 */
export function visibleAttacks(attacks: readonly PageAttack[], isSameOrigin: boolean): PageAttack[] {
  const isVisible = ({ way, url, method, mode, headers }: PageAttack): boolean => {
    if (way === 'socket' || new URL(url).pathname === '/favicon.ico') {
      return false;
    }
    if (way === 'fetch' && mode === 'no-cors') {
      return method === 'POST' || (isSameOrigin && (method === 'GET' || method === 'HEAD'));
    }
    if (isSameOrigin || way === 'form' || way === 'iframe' || way === 'object') {
      return true;
    }
    return way === 'beacon' && headers['Content-Type'] !== 'application/json';
  };
  const visible = attacks.filter(isVisible);
  return [...new Map(visible.map((each) => [`${each.way} ${each.url}`, each])).values()];
}

/** Attacks of every kind on every route, some with the key. */
export function pageAttacks({ origin, projectId, repo, jobId, key }: KnownToAttacker): fc.Arbitrary<PageAttack> {
  const id = fc.oneof(...[fc.constant(jobId), fc.stringMatching(/^[0-9a-f]{16}$/), fc.webFragments({ size: 'small' })]);
  const project = fc.oneof({ weight: 3, arbitrary: fc.constant(projectId) }, { weight: 1, arbitrary: id });
  const capability = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  const path = fc.oneof(
    project.map((name) => `/v2/agent/${name}/job`),
    fc.tuple(project, id).map(([name, job]) => `/v2/agent/${name}/job/${job}`),
    fc.tuple(project, id).map(([name, job]) => `/v2/agent/${name}/job/${job}/message`),
    fc.tuple(id, capability).map(([job, guess]) => `/review/${job}/${guess}`),
    fc
      .tuple(project, id, fc.constantFrom('merge', 'undo-merge', 'close', 'reopen', 'review-link'))
      .map(([name, job, what]) => `/v2/agent/${name}/job/${job}/${what}`),
    fc.constantFrom('/local/projects', '/local/shutdown', '/', '/v2', '/review/', '/favicon.ico'),
  );
  const headers = fc.record(
    {
      'Content-Type': fc.constantFrom('text/plain', 'application/json', 'application/x-www-form-urlencoded'),
      Authorization: fc.constantFrom(`Bearer ${key}`, `Bearer local_${'0'.repeat(64)}`),
      'X-Requested-With': fc.constant('XMLHttpRequest'),
      'X-HTTP-Method-Override': fc.constantFrom('PUT', 'POST'),
    },
    { requiredKeys: [] },
  );
  const body = fc.constantFrom(
    JSON.stringify({ commit: '0'.repeat(40), x: '=' }),
    JSON.stringify({ prompt: 'Let me in', x: '=' }),
    JSON.stringify({
      folder: repo,
      settings: { agent: 'custom', command: ['sh', '-c', 'echo owned > README.md'] },
      x: '=',
    }),
  );
  return fc.record({
    way: fc.constantFrom(...WAYS),
    url: path.map((each) => `${origin}${each}`),
    method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH'),
    mode: fc.constantFrom('cors', 'no-cors'),
    enctype: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'),
    headers,
    body,
  });
}
