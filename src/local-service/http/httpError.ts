import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { decodeJson } from '../../base/json';
import { MAX_BODY_BYTES } from '../../base/limits';
import type { CodedText } from '../../protocol/codedText';
import { toEnglish } from '../codedText';
import { ArchiveRefused } from '../jobs/jobArchive';
import { TooManyRequests } from '../jobs/jobOperations';
import { MergeRefusal } from '../review/mergeTarget';

/** An error response: `{"error": message}` and further fields, with this status and these headers. */
export class HttpError extends Error {
  /** The message for the user; undefined for errors that only client developers need to read. */
  readonly coded: CodedText | undefined;

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 503,
    message: string | CodedText,
    readonly headers: Record<string, string> = {},
    readonly more: Record<string, boolean> = {},
  ) {
    super(typeof message === 'string' ? message : toEnglish(message));
    this.coded = typeof message === 'string' ? undefined : message;
  }
}

/** Turns what the operations throw into the response that it stands for. Returns other errors unchanged. */
export function toHttpError(error: Error): Error {
  if (error instanceof TooManyRequests) {
    return new HttpError(429, error.coded, { 'Retry-After': String(error.retryAfterSeconds) });
  }
  if (error instanceof ArchiveRefused) {
    return new HttpError(409, error.coded, {}, error.canDiscard ? { canDiscard: true } : {});
  }
  return error instanceof MergeRefusal ? new HttpError(409, error.coded) : error;
}

const SQLITE_FULL = 13;
const POSTGRES_FULL = '53100';

/** Returns whether the disk or the user's quota is full. The database has been rolled back in that case. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: unknown; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || code === POSTGRES_FULL || errcode % 256 === SQLITE_FULL;
}

/** The decoded JSON body of a request. Throws HttpError with 415, 413 or 400, checked in this order. */
export async function readJson(context: Context): Promise<unknown> {
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpError(415, 'The body must be application/json.');
  }
  const bytes = await readBody(context);
  const text = isUtf8(bytes) ? new TextDecoder().decode(bytes) : '';
  const body = decodeJson(text);
  if (body === undefined) {
    throw new HttpError(400, 'The body is not JSON.');
  }
  return body;
}

/** Like `readJson`, but returns an empty object when there is no body. */
export async function readOptionalJson(context: Context): Promise<unknown> {
  const { req } = context;
  // RFC 9112, 6: only these two headers indicate that there is a body. `Content-Type` does not.
  const hasBody = req.header('Transfer-Encoding') !== undefined || Number(req.header('Content-Length') ?? 0) > 0;
  return hasBody ? readJson(context) : {};
}

async function readBody(context: Context): Promise<Buffer> {
  if (Number(context.req.header('Content-Length') ?? 0) > MAX_BODY_BYTES) {
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of whole(context.req.raw.body as AsyncIterable<Uint8Array> | null)) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reports a client that disconnects mid-body as 400, so that it is not logged as a failure of the service. */
async function* whole(body: AsyncIterable<Uint8Array> | null): AsyncIterable<Uint8Array> {
  try {
    yield* body ?? [];
  } catch {
    throw new HttpError(400, 'The body is incomplete.');
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
