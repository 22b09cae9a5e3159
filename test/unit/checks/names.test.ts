import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { classify, wordsOf } from '../../../src/checks/names';
import { seed } from '../../support/scale';

const kinds = (span: string) => classify(span).map(({ kind, name }) => `${kind} ${name}`);

describe('a name in code font', () => {
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    maxRetryCount: ['identifier maxRetryCount'],
    'fetchAll()': ['identifier fetchAll'],
    'new HttpClient(options)': ['identifier HttpClient'],
    '<CardGroup cols={2}>': ['identifier CardGroup'],
    '--retry-max': ['flag --retry-max'],
    '--retry-max=3': ['flag --retry-max'],
    '--retry-max <count>': ['flag --retry-max'],
    '--web.listen-address': ['flag --web.listen-address'],
    '--retry-max 3 --keep-going': ['flag --retry-max', 'flag --keep-going'],
    API_TOKEN: ['variable API_TOKEN'],
    '${API_TOKEN}': ['variable API_TOKEN'],
    'config.retries': ['keyPath config.retries'],
    'client.send(request)': ['keyPath client.send'],
    'std::collections::HashMap': ['keyPath std::collections::HashMap'],
    'src/client.ts': ['file src/client.ts'],
    './src/client/': ['file src/client/'],
    'client.ts': ['file client.ts'],
    'API_TOKEN=1 tool run --dry-run-all x': ['variable API_TOKEN', 'flag --dry-run-all'],
    retries: ['identifier retries'],
  };
  for (const [span, expected] of Object.entries(NAMES)) {
    it(`is recognized in ${span}`, () => deepStrictEqual(kinds(span), expected));
  }

  const NOTHING = ['true', 'npm', 'ab', '404', 'GET', 'v1.2.3', 'example.com', 'https://a.b/c', '@scope/name', '1 + 1'];
  for (const span of [...NOTHING, '...', '--help', '-x', '', ' ', '{ a: 1 }', 'text/plain', '*.md', '../a.ts']) {
    it(`is not found in ${JSON.stringify(span)}`, () => deepStrictEqual(kinds(span), []));
  }

  it('has its exact position in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('aB_-.:/$ (){}<>="3')) }), (span) => {
        for (const { name, offset } of classify(span)) {
          strictEqual(span.slice(offset, offset + name.length), name);
        }
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it('is searched for in each notation in which code may declare a flag', () => {
    const [flag] = classify('--no-retry-max');
    const found = ['no-retry-max', 'retry-max', 'retryMax', 'retry_max', 'RETRY_MAX', 'noRetryMax'];
    deepStrictEqual(
      found.filter((word) => flag?.groups[0]?.includes(word) !== true),
      [],
    );
  });

  it('is searched for in other notations if it has hyphens, and as an instance if it is a type', () => {
    const forms = (span: string) => classify(span).flatMap(({ groups }) => groups.map((group) => group.join(' ')));
    deepStrictEqual(forms('device-id'), ['device-id device_id deviceId DeviceId DEVICE_ID']);
    deepStrictEqual(forms('HttpClient'), ['HttpClient httpClient']);
    deepStrictEqual(forms('Client'), ['Client']);
    deepStrictEqual(forms('mark.MARK_NAME.with_args'), ['with_args']);
    deepStrictEqual(forms('--web.listen-address').length, 2);
  });

  it('includes the program or module that it belongs to', () => {
    const owner = (span: string) => classify(span)[0]?.owner;
    deepStrictEqual(
      ['git add --patch', '$ docker run --rm-all', 'tool run --fast', 'unittest.TestCase', 'config.retries'].map(owner),
      ['git', 'docker', undefined, 'unittest', undefined],
    );
  });
});

describe('the words of code', () => {
  it('include hyphenated words, whole and in parts', () => {
    deepStrictEqual(wordsOf('option("--retry-max", $value)'), ['option', 'retry-max', 'retry', 'max', 'value']);
  });
});
