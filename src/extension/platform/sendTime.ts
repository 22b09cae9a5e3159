/** A follow-up goes `now`, whatever its job does, or when the present run has `ended`. */
export const SEND_TIMES = ['now', 'ended'] as const;

export type SendTime = (typeof SEND_TIMES)[number];
