import type { Context } from 'hono';
import { MAX_LOCAL_BODY_BYTES } from '../../shared/protocol/promptBody';
import { HttpError } from './httpError';

/** The decoded JSON body of a request. Throws HttpError with 415, 413 or 400, checked in this order. */
export async function readJson(context: Context): Promise<unknown> {
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpError(415, 'The body must be application/json.');
  }
  const bytes = await readBody(context);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
}

/** The same, where no body at all stands for an empty object. */
export async function readOptionalJson(context: Context): Promise<unknown> {
  const { req } = context;
  // RFC 9112, 6: these two alone tell that there is a body. `Content-Type` says nothing of that.
  const hasBody = req.header('Transfer-Encoding') !== undefined || Number(req.header('Content-Length') ?? 0) > 0;
  return hasBody ? readJson(context) : {};
}

async function readBody(context: Context): Promise<Buffer> {
  if (Number(context.req.header('Content-Length') ?? 0) > MAX_LOCAL_BODY_BYTES) {
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of whole(context.req.raw.body as AsyncIterable<Uint8Array> | null)) {
    size += chunk.byteLength;
    if (size > MAX_LOCAL_BODY_BYTES) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A sender that hangs up in the middle is no fault of the service, and fills no log. */
async function* whole(body: AsyncIterable<Uint8Array> | null): AsyncIterable<Uint8Array> {
  try {
    yield* body ?? [];
  } catch {
    throw new HttpError(400, 'The body did not come to its end.');
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `The body is larger than ${MAX_LOCAL_BODY_BYTES} bytes.`);
}
