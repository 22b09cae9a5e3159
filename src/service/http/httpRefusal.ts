/** An answer that is an error: `{"error": message}`, and what else is to be known, with this status and these headers. */
export class HttpRefusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429,
    message: string,
    readonly headers: Record<string, string> = {},
    readonly more: Record<string, boolean> = {},
  ) {
    super(message);
  }
}
