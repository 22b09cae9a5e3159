/**
 * Set to `1` on a 503 or 408 of the local service that it gives at its door, before a request was handled: a
 * prompt that was in it may be sent again. The client believes it of the local service only.
 */
export const NOT_HANDLED_HEADER = 'X-Docs-Agent-Not-Handled';
