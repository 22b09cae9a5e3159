import fc from 'fast-check';

/** Bytes that do not form a valid request, in the chunks in which they are sent. */
export interface BrokenRequest {
  kind: string;
  pieces: Buffer[];
}

/** What a sender may know. */
export interface KnownToSender {
  host: string;
  projectId: string;
  jobId: string;
  key: string;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Path traversals in spellings that have been used to get past checks for `..`. */
const CLIMBS = [
  ...['..', '%2e%2e', '%2E.', '.%2e', '%252e%252e', '%c0%ae%c0%ae', '%uff0e%uff0e', '..;', '..%00', '..%5c', '..\\'],
  ...['%2e%2e%2f', '%2e%2e%5c', '....//', '..%ef%bc%8f', '%00', '~', '*', 'CON', '/'],
];

/** Broken requests of every kind. None may be accepted, although each carries the right key. */
export function brokenRequests(known: KnownToSender): fc.Arbitrary<BrokenRequest> {
  const { host, projectId, jobId, key } = known;
  const jobs = `/v2/agent/${projectId}/job`;
  const right = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
  const json = `${right}Content-Type: application/json\r\n`;
  const hidden = `POST /local/shutdown HTTP/1.1\r\n${right}Content-Length: 0\r\n\r\n`;
  const noise = fc.uint8Array({ minLength: 1, maxLength: 600 }).map((each) => Buffer.from(each));
  const word = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 30 });
  const of = (kind: string, text: fc.Arbitrary<string>): fc.Arbitrary<BrokenRequest> =>
    text.map((each) => ({ kind, pieces: [bytes(each)] }));

  const requestLine = fc
    .tuple(fc.constantFrom('GET', 'get', 'G\0T', '', ' POST', 'POST\t', 'PRI', 'CONNECT', 'BREW'), word, word)
    .chain(([verb, target, version]) =>
      fc.constantFrom(
        ...[`${verb} ${target} HTTP/1.1`, `${verb} ${jobs} HTTP/9.9`, `${verb} ${jobs} ${version}`, `${verb}  ${jobs}`],
        ...[
          `${verb} http://evil.example${jobs} HTTP/1.1`,
          `${verb} //evil.example${jobs} HTTP/1.1`,
          `${verb} * HTTP/1.1`,
        ],
      ),
    );
  const path = fc
    .tuple(
      fc.array(fc.constantFrom(...CLIMBS), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('/', '\\', '%2f', '%5C'),
    )
    .map(([climbs, between]) => [...climbs, 'etc', 'passwd'].join(between))
    .chain((climb) =>
      fc.constantFrom(
        ...[`/${climb}`, `/v2/agent/${climb}/job/${jobId}`, `${jobs}/${climb}`, `${jobs}/${jobId}/${climb}`],
        ...[`/review/${climb}/x`, `/review/${jobId}/${climb}`, `/local/${climb}`],
      ),
    );
  const lengths = fc.constantFrom(
    ...['Content-Length: 5\r\nContent-Length: 6', 'Content-Length: 5, 6', 'Content-Length: -1', 'Content-Length: 0x10'],
    ...[
      'Content-Length: 99999999999999999999',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Content-Length : 5',
    ],
    ...['Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding:\x0bchunked'],
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip',
      ' Transfer-Encoding: chunked',
      'X: y\r\n z\r\n folded',
    ],
    ...['Content-Length: \r\n', 'Content-Length: +5'],
  );
  const chunks = fc.constantFrom(
    ...['zz\r\n', '-1\r\n', 'ffffffffffffffffff\r\n', '5\r\nabcdefgh\r\n0\r\n\r\n', '5;ext="\r\nabcde\r\n', '\r\n\r\n'],
    ...['0x5\r\nabcde\r\n0\r\n\r\n', '5 \r\n', `5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`],
  );
  const chunked = chunks.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n${each}`);
  const header = fc.tuple(
    fc.constantFrom('X', 'Cookie', 'Host', 'X\0', 'X Y', 'Ünï', ''),
    fc.integer({ min: 0, max: 20_000 }),
  );
  const headers = fc
    .array(header, { minLength: 1, maxLength: 60 })
    .map((all) => all.map(([name, length]) => `${name}: ${'h'.repeat(length)}\r\n`).join(''));
  const many = fc.integer({ min: 400, max: 4_000 }).map((count) => 'a:\r\n'.repeat(count));
  const body = fc.constantFrom(
    '{"prompt":',
    '{"prompt":""}',
    '[]',
    '{"__proto__":{"prompt":"x"}}',
    '"x"',
    '[['.repeat(9_000),
  );

  return fc.oneof(
    of(
      'request line',
      requestLine.map((line) => `${line}\r\n${right}Connection: close\r\n\r\n`),
    ),
    of(
      'path',
      path.map((each) => `GET ${each} HTTP/1.1\r\n${right}Connection: close\r\n\r\n`),
    ),
    of(
      'smuggled',
      lengths.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}${each}\r\n\r\n0\r\n\r\n${hidden}`),
    ),
    of(
      'chunks',
      fc.oneof(
        chunked,
        chunked.map((each) => `${each}${hidden}`),
      ),
    ),
    of(
      'headers',
      fc.oneof(headers, many).map((all) => `GET ${jobs} HTTP/1.1\r\nHost: x\r\n${all}\r\n`),
    ),
    of(
      'body',
      body.map(
        (each) => `POST ${jobs} HTTP/1.1\r\n${json}Content-Length: ${each.length}\r\nConnection: close\r\n\r\n${each}`,
      ),
    ),
    of(
      'half body',
      body.map((each) => `POST ${jobs} HTTP/1.1\r\n${json}Content-Length: 70000\r\n\r\n${each}`),
    ),
    of(
      'too large',
      fc.constant(`POST ${jobs} HTTP/1.1\r\n${json}Content-Length: 1048577\r\n\r\n${'x'.repeat(70_000)}`),
    ),
    of(
      'no request',
      fc.constantFrom('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01', '\r\n\r\n\r\n', 'GET\r\n'),
    ),
    noise.map((each) => ({ kind: 'noise', pieces: [each] })),
    fc.tuple(noise, noise).map(([a, b]) => ({ kind: 'noise', pieces: [bytes('POST '), a, bytes(`\r\n${right}`), b] })),
  );
}
