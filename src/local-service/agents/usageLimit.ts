import { resetTime } from '../resetTime';
import { type TurnFailure, UsageLimit } from '../turnFailure';

/** How the message of a known agent about a usage limit begins. A summary of work has to be told apart from it. */
const LIMIT_MESSAGE = new RegExp(
  [
    String.raw`^[^\p{L}\d]*(?:(?:api |codex )?error:? |sorry,? )*(?:`,
    String.raw`you(?:['’]ve| have) (?:hit|reached|exceeded|exhausted|used up|used (?:all|\d+%) of) (?:your|the|a) (?:(?!\. )[^!\n]){0,60}?\b(?:limits?|quota|capacity|usage)\b`,
    String.raw`|you(?:['’]re| are) out of (?:extra )?usage\b`,
    String.raw`|you(?:['’]ve| have) been rate.limited\b`,
    String.raw`|you exceeded your current quota\b`,
    String.raw`|free usage (?:limit )?exceeded\b`,
    String.raw`|(?:(?:the|your|claude|ai|code|codex|gemini|cursor|max|pro|plus|opus|sonnet|fable) )*(?:(?:\d+[- ]hour|daily|weekly|monthly|session|usage|message) )*limit (?:has been )?(?:reached|exceeded)\s*(?:$|[|∙·•.,:!(\[\n]|resets)`,
    ')',
  ].join(''),
  'iu',
);

/** What an error response says about a limit. */
const LIMIT_ERROR =
  /\b(usage|session|hour|daily|weekly|rate|request|quota|capacity)\b.{0,80}\b(limits?|limited|exceeded|exhausted|reached|reset)\b|rate.?limit|usage.?limit|out of (extra )?usage|resource.?exhausted|too many requests/is;

/** Whether the text is an agent's message that a usage limit has ended its work. */
export function isLimitMessage(text: string): boolean {
  return text.length <= 2_000 && LIMIT_MESSAGE.test(text);
}

/**
 * Returns the failure of a turn, or a UsageLimit if a usage limit has caused it and what the agent has said about it
 * tells when that ends.
 */
export function unlessLimit(failure: TurnFailure, said: string): TurnFailure {
  const resumesAt = isLimitMessage(said) || LIMIT_ERROR.test(said) ? resetTime(said, Date.now()) : undefined;
  return resumesAt === undefined ? failure : new UsageLimit(failure.coded, resumesAt);
}
