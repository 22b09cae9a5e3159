/** When to send a follow-up: `now`, whatever its job is doing, or when the current run has `ended`. */
export const SEND_TIMES = ['now', 'ended'] as const;

export type SendTime = (typeof SEND_TIMES)[number];
