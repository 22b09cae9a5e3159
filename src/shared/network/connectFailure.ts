/** A failure before a connection stood, so before any byte of a request could leave: name look-up, connect, proxy, TLS. */
export class ConnectFailure extends Error {
  /**
   * @param reason a system or library code; with the prefix `PROXY_` what went wrong on the way to the proxy or at it
   */
  constructor(
    readonly reason: string | undefined,
    cause?: unknown,
  ) {
    super(`no connection: ${reason ?? 'for an unknown reason'}`, { cause });
  }
}

/** The code of an error; where several addresses were tried, that of the first. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof ConnectFailure) {
    return error.reason;
  }
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') {
    return code;
  }
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : undefined;
}
