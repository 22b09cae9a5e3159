/**
 * Set to `1` on a 503 of the local service that it gives at its door, before it has read anything of the request: a
 * prompt that was in it may be sent again. The client believes it of the local service only.
 */
export const NOT_HANDLED_HEADER = 'X-Docs-Agent-Not-Handled';
