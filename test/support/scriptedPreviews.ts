import type { ScriptedAnswer, SeenRequest } from './scriptedServer';

const START = /^(?:\/[^/]+)*\/v1\/project\/preview\/([^/]+)$/;
const STATUS = /^(?:\/[^/]+)*\/v1\/project\/update-status\/([^/]+)$/;

/** True for a request that starts a preview, whose body is no prompt. */
export function isPreviewRequest({ path }: SeenRequest): boolean {
  return START.test(path);
}

/**
 * The routes of the hosted service for previews. A preview is queued, then in progress, then done.
 *
 * @param plan whether the plan of the project has previews
 */
export function scriptedPreviews(
  previewUrl: string,
  { hasPreviews = true, end = 'success' }: { hasPreviews?: boolean; end?: 'success' | 'failure' } = {},
): (seen: SeenRequest) => ScriptedAnswer | undefined {
  const looks = new Map<string, number>();
  return (seen) => {
    const { method, path, body } = seen;
    if (method === 'POST' && START.test(path)) {
      const { branch } = JSON.parse(body) as { branch?: unknown };
      if (!hasPreviews) {
        return { status: 403, body: { error: 'Previews are part of another plan.' } };
      }
      return typeof branch === 'string'
        ? { status: 202, body: { statusId: `status-of-${branch}`, previewUrl } }
        : { status: 400, body: { error: 'branch is required' } };
    }
    const id = method === 'GET' ? STATUS.exec(path)?.[1] : undefined;
    if (id === undefined) {
      return undefined;
    }
    const count = (looks.get(id) ?? 0) + 1;
    looks.set(id, count);
    return { body: { status: ['queued', 'in_progress'][count - 1] ?? end } };
  };
}
