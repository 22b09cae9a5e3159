import type { Pending } from './drafts';
import { t } from './words';

/** What the service tells of the job. */
export interface PageState {
  status: string;
  error?: string;
  review: 'open' | 'merged' | 'closed';
  commit: string | null;
  turns: number;
  sent: readonly string[];
}

/** Why the service did not do it, in words for the user. Without `isAnswer` nobody knows whether it did. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly isAnswer: boolean,
  ) {
    super(message);
  }
}

/** What the page shows of a merge: the work, and the branch and its commit that it goes into. */
export interface Shown {
  commit: string;
  into: string;
  head: string;
}

/** The service behind this page. Each call throws Refused. */
export interface Service {
  /** Returns undefined when nothing has changed since the last call, unless the whole is wanted. */
  state(whole?: boolean): Promise<PageState | undefined>;
  comment(pending: Pending, again: boolean): Promise<PageState>;
  merge(shown: Shown): Promise<{ kind: string; branch: string }>;
  close(): Promise<void>;
}

const LIMIT_MS = 30_000;
/** A merge may take as long as git does. */
const MERGE_LIMIT_MS = 180_000;

/** @param token what lets this page change something */
export function connect(token: string): Service {
  const address = (name: string): string => `${location.pathname.replace(/\/$/, '')}/${name}`;
  let tag = '';

  const ask = async (name: string, init: RequestInit, limitMs: number): Promise<Response> => {
    let response;
    try {
      // eslint-disable-next-line no-restricted-globals -- a browser has nothing else; each POST may be sent twice
      response = await fetch(address(name), { ...init, cache: 'no-store', signal: AbortSignal.timeout(limitMs) });
    } catch {
      throw new Refused(t('The local service did not answer. Start it in the editor, then reload this page.'), false);
    }
    if (response.ok || response.status === 304) {
      return response;
    }
    throw new Refused(await words(response), true);
  };
  const post = async <T>(name: string, body: unknown, limitMs = LIMIT_MS): Promise<T> => {
    const headers = { 'Content-Type': 'application/json', 'X-Docs-Agent-Page': token };
    const response = await ask(name, { method: 'POST', headers, body: JSON.stringify(body) }, limitMs);
    try {
      return (await response.json()) as T;
    } catch {
      throw new Refused(t('The answer of the local service was cut off.'), false);
    }
  };

  return {
    state: async (whole = false) => {
      const response = await ask('state', tag === '' || whole ? {} : { headers: { 'If-None-Match': tag } }, LIMIT_MS);
      if (response.status === 304) {
        return undefined;
      }
      const state = (await response.json().catch(() => undefined)) as PageState | undefined;
      if (state === undefined) {
        throw new Refused(t('The answer of the local service was cut off.'), false);
      }
      // Who asked for the whole keeps it to himself: the next look is to find it new.
      tag = whole ? tag : (response.headers.get('ETag') ?? '');
      return state;
    },
    comment: ({ id, commit, comments }, again) => post('comments', { id, again, commit, comments }),
    merge: (shown) => post('merge', shown, MERGE_LIMIT_MS),
    close: async () => {
      await post('close', {});
    },
  };
}

async function words(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as { error?: unknown } | undefined;
  return typeof body?.error === 'string'
    ? body.error
    : t('The local service answered with status {0}.', response.status);
}
