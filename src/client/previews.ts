import * as z from 'zod/mini';
import { decodeJson } from '../base/json';
import { ServiceError } from '../protocol/errors';
import { pathSegment } from '../protocol/routes';
import { isPathSafeId } from '../protocol/status';
import { buildUrl, headers, type Target } from './agentClient';
import { toServiceError } from './answer';
import type { HttpAnswer, HttpRequest, Transport } from './transport';

const previewSchema = z.object({
  statusId: z.string().check(z.refine(isPathSafeId)),
  previewUrl: z.string(),
});

/** A preview that is being built; `previewUrl` is untrusted and shows it once its status is `success`. */
export type Preview = z.infer<typeof previewSchema>;

const updateSchema = z.object({ status: z.string() });

/** Statuses that a later version of the service may add count as in progress. */
export type PreviewStatus = 'building' | 'success' | 'failure';

/** Asks the hosted service to build a preview of a branch. Throws ServiceError. */
export async function startPreview(
  transport: Transport,
  target: Target,
  branch: string,
  signal?: AbortSignal,
): Promise<Preview> {
  const url = buildUrl(target, () => `/v1/project/preview/${pathSegment(target.projectId)}`);
  const json = { ...headers(target), 'content-type': 'application/json' };
  const request = { method: 'POST', url, headers: json, body: JSON.stringify({ branch }), signal } as const;
  return exchange(transport, request, previewSchema, 'NO_PREVIEW');
}

/** Requests the status of a preview, once. Throws ServiceError. */
export async function readPreviewStatus(
  transport: Transport,
  target: Target,
  statusId: string,
  signal?: AbortSignal,
): Promise<PreviewStatus> {
  const url = buildUrl(target, () => `/v1/project/update-status/${pathSegment(statusId)}`);
  const request = { method: 'GET', url, headers: headers(target), signal } as const;
  const { status } = await exchange(transport, request, updateSchema, 'NO_STATUS');
  return status === 'success' || status === 'failure' ? status : 'building';
}

async function exchange<T>(
  transport: Transport,
  request: HttpRequest,
  schema: z.ZodMiniType<T>,
  code: string,
): Promise<T> {
  const answer: HttpAnswer = await transport.send(request);
  if (answer.status < 200 || answer.status > 299) {
    throw toServiceError(answer, Date.now());
  }
  const parsed = z.safeParse(schema, decodeJson(answer.body));
  if (!parsed.success) {
    throw new ServiceError('notUnderstood', { effect: 'unknown', status: answer.status, code });
  }
  return parsed.data;
}
