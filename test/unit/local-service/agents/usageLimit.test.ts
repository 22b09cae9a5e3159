import assert from 'node:assert/strict';
import { isLimitMessage } from '../../../../src/local-service/agents/usageLimit';
import { resetTime } from '../../../../src/local-service/resetTime';

/** A Wednesday; 19:30 in Berlin. */
const NOW = Date.parse('2026-07-15T17:30:00Z');
const HERE = 'Europe/Berlin';

/** Messages from public reports, and when they say that the limit ends: a time, or undefined if it can’t be waited for. */
const MESSAGES: [message: string, resetsAt: string | undefined][] = [
  // Claude Code
  ['You’ve hit your session limit · resets 9pm', '2026-07-15T19:00:00Z'],
  ["You've hit your session limit · resets 8:30pm (Asia/Tokyo)", '2026-07-16T11:30:00Z'],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", '2026-07-16T07:50:00Z'],
  [
    "You've hit your session limit · resets 10:30pm (Europe/Berlin)\n/login to switch to an API usage-billed account.",
    '2026-07-15T20:30:00Z',
  ],
  ["You've hit your limit · resets 9pm (America/Toronto)", '2026-07-16T01:00:00Z'],
  ["You've hit your weekly limit · resets Jul 18, 5:59am (America/Los_Angeles)", '2026-07-18T12:59:00Z'],
  ['You’re out of extra usage · resets 7pm (UTC)', '2026-07-15T19:00:00Z'],
  ['5-hour limit reached ∙ resets 3pm', '2026-07-16T13:00:00Z'],
  ['Weekly limit reached ∙ resets Jul 20 at 5pm', '2026-07-20T15:00:00Z'],
  ['Opus weekly limit reached ∙ resets Jul 17, 9am', '2026-07-17T07:00:00Z'],
  ['Session limit reached · resets 19:25', '2026-07-15T17:30:00Z'],
  ['**You’ve used 100% of your weekly limit** · resets 18 Jul, 9 p.m.', '2026-07-18T19:00:00Z'],
  ['⚠ Limit reached · resets in 4hr 29min', '2026-07-15T21:59:00Z'],
  ['Claude Max usage limit reached. Your limit will reset at 12am (UTC).', '2026-07-16T00:00:00Z'],
  ['You’ve reached your 5-hour message limit. Resets at 12:00 PM.', '2026-07-16T10:00:00Z'],
  ['Claude AI usage limit reached|1784142000', '2026-07-15T19:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 5pm (Europe/Warsaw).', '2026-07-16T15:00:00Z'],
  ['You have reached your specified API usage limits. You will regain access on 2026-08-01 at 00:00 UTC.', undefined],
  [
    'You have reached your specified API usage limits. You will regain access on 2026-07-16 at 00:00 UTC.',
    '2026-07-16T00:00:00Z',
  ],
  // Codex
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
    '2026-07-21T15:41:00Z',
  ],
  ["You've hit your usage limit. Try again in 3 hours 2 minutes.", '2026-07-15T20:32:00Z'],
  [
    "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Jul 19th, 2026 8:19 PM.",
    '2026-07-19T18:19:00Z',
  ],
  ["You've hit your usage limit. To get more access now, try again at 11:52 PM.", '2026-07-15T21:52:00Z'],
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing), or wait for limits to reset (every 5h and every week.).",
    undefined,
  ],
  ['You’ve hit your usage limit. Upgrade your plan to continue, or try again at 20 de jul. de 2026, 11:52.', undefined],
  [
    'The usage limit has been reached: {"plan_type":"plus","resets_at":1784142000,"resets_in_seconds":5400}',
    '2026-07-15T19:00:00Z',
  ],
  ['The usage limit has been reached: {"resets_in_seconds":5400}', '2026-07-15T19:00:00Z'],
  // GitHub Copilot CLI
  [
    "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms of Service (https://docs.github.com/site-policy/github-terms/github-terms-of-service). (Request ID: AF08:1CC094:79C2BF:8F5AB7:69C609B2)",
    '2026-07-15T19:30:00Z',
  ],
  [
    "Sorry, you've exceeded your 5 hour session limits. Please retry after 840 seconds. (user_global_rate_limited:pro)",
    '2026-07-15T17:44:00Z',
  ],
  [
    "You've reached your weekly rate limit. Please wait for your limit to reset on July 20, 2026 at 2:00 AM or switch to auto model to continue. Learn More (https://docs.github.com/en/copilot/concepts/rate-limits).",
    '2026-07-20T00:00:00Z',
  ],
  ['Sorry, you have been rate-limited. Please wait 2 minutes before trying again.', '2026-07-15T17:32:00Z'],
  // Gemini CLI
  ['You have exhausted your capacity on this model. Your quota will reset after 5h23m10s.', '2026-07-15T22:53:10Z'],
  ['You have exhausted your capacity on this model. Your quota will reset after 0s.', '2026-07-15T17:30:00Z'],
  ['You exceeded your current quota, please check your plan. Please retry in 34.5s.', '2026-07-15T17:30:34.500Z'],
  ['You have reached your daily gemini-2.5-pro quota limit.', undefined],
  // opencode
  ['Free usage exceeded, subscribe to Go [retrying in 6h16m - attempt #1]', '2026-07-15T23:46:00Z'],
  ['5 hour usage limit reached. It will reset in 4 hours 1 minute.', '2026-07-15T21:31:00Z'],
  // Cursor
  [
    "Error: You've hit your usage limit\n  Get Cursor Pro for more Agent usage. Your usage limits will reset when your monthly cycle ends on 11/17/2026.",
    undefined,
  ],
  [
    "Error: You've hit your usage limit. It will reset when your monthly cycle ends on 7/18/2026.",
    '2026-07-17T22:00:00Z',
  ],
  ['Usage limit reached. Try again at 2026-07-15T21:00:00+02:00.', '2026-07-15T19:00:00Z'],
  ['Usage limit reached, resets at 2026-07-15 21:00 (Europe/Berlin)', '2026-07-15T19:00:00Z'],
  ['Usage limit reached, resets at 2026-07-15 21:00', '2026-07-15T19:00:00Z'],
  ['Usage limit reached, resets at 2026-07-01 21:00', undefined],
];

/** Summaries of work on pages about limits. */
const SUMMARIES = [
  'I documented that usage limits reset at 9pm.',
  'Rate limit exceeded errors are now explained in docs/errors.md.',
  'Session limit reached errors now say when the session resets: 9pm.',
  'You’ve got a page about your session limit now · it resets at 9pm.',
  'Limit reached by readers who ask too often: the page says that they wait until 9pm.',
  'Done: wrote docs/quota.md. You can exceed your quota until 10pm.',
];

describe('usage limit of an agent', () => {
  for (const [message, resetsAt] of MESSAGES) {
    it(`ends ${resetsAt ?? 'at an unknown time'}: ${message.slice(0, 90)}`, () => {
      assert.equal(isLimitMessage(message), true);
      const at = resetTime(message, NOW, HERE);
      assert.equal(at && new Date(at).toISOString(), resetsAt && new Date(resetsAt).toISOString());
    });
  }

  for (const summary of SUMMARIES) {
    it(`is not: ${summary}`, () => assert.equal(isLimitMessage(summary), false));
  }

  it('ends at the local time of a day on which clocks change', () => {
    const before = Date.parse('2026-10-24T20:00:00Z');
    assert.equal(resetTime('resets 9am', before, HERE), Date.parse('2026-10-25T08:00:00Z'));
  });

  it('ends next year if the date without a year has passed', () => {
    const before = Date.parse('2026-12-30T20:00:00Z');
    assert.equal(resetTime('resets Jan 2, 10am', before, HERE), Date.parse('2027-01-02T09:00:00Z'));
  });
});
