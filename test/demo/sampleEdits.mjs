// What the demo agent knows about the sample documentation: each edit improves one text, and one more place that is
// related to it. All of it is true of the sample's src/retry.ts.

/**
 * @typedef {object} SampleEdit
 * @property {RegExp} topic what a prompt without a quoted text must mention
 * @property {SampleChange[]} changes the text itself, and the related place
 *
 * @typedef {object} SampleChange
 * @property {string} did what it does, as the rest of a sentence that starts with “I”
 * @property {string} path
 * @property {string} before
 * @property {string} after
 * @property {string} [short] what remains of `after` when the user wants it shorter
 */

/** @type {readonly SampleEdit[]} */
export const SAMPLE_EDITS = [
  {
    topic: /\b(retr(y|ies|ied|ying)|attempts?|delay|configuration|options?)\b/i,
    changes: [
      {
        did: 'rewrote the sentence about retries in docs/getting-started.md',
        path: 'docs/getting-started.md',
        before: 'Failed requests are retried a few times.',
        after: 'Failed requests are retried up to three times, with a longer pause before each attempt.',
        short: 'Failed requests are retried up to three times.',
      },
      {
        did: 'added the defaults to docs/configuration.md',
        path: 'docs/configuration.md',
        before: '- `attempts`: the maximum number of attempts.',
        after: '- `attempts`: the maximum number of attempts (default: 4).',
      },
      {
        did: 'added the defaults to docs/configuration.md',
        path: 'docs/configuration.md',
        before: '- `baseDelayMs`: the delay before the second attempt.',
        after: '- `baseDelayMs`: the delay before the second attempt, in milliseconds (default: 250).',
      },
    ],
  },
  {
    topic: /\bhow often\b/i,
    changes: [
      {
        did: 'said in docs/getting-started.md where `attempts` is set',
        path: 'docs/getting-started.md',
        before: 'Set `attempts` to change how often.',
        after: 'Set `attempts` in the [retry policy](configuration.md) to change how often.',
      },
      {
        did: 'mentioned the wait in docs/index.md',
        path: 'docs/index.md',
        before: '[Configuration](configuration.md): how often requests are sent',
        after: '[Configuration](configuration.md): how often requests are sent, and how long they wait in between',
      },
    ],
  },
  {
    topic: /\b(install(ing|ation)?|packages?|first request|getting started)\b/i,
    changes: [
      {
        did: 'added the command for the installation to docs/getting-started.md',
        path: 'docs/getting-started.md',
        before: 'Install the package and send a first request:',
        after: 'Install the package with `npm install lighthouse`, and send a first request:',
      },
      {
        did: 'mentioned the installation in docs/index.md',
        path: 'docs/index.md',
        before: 'the first request in five minutes',
        after: 'installation and the first request in five minutes',
      },
    ],
  },
  {
    topic: /\b(lighthouse|introduction|overview|readme|slow services?)\b/i,
    changes: [
      {
        did: 'made the introduction in README.md more precise',
        path: 'README.md',
        before: 'comes back with an answer or a good reason.',
        after: 'comes back with an answer, or with an error after the last attempt.',
      },
      {
        did: 'linked to docs/configuration.md there',
        path: 'README.md',
        before: '- [Getting started](docs/getting-started.md)\n',
        after: '- [Getting started](docs/getting-started.md)\n- [Configuration](docs/configuration.md)\n',
      },
    ],
  },
];
