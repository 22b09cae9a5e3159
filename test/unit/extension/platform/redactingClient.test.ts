import assert from 'node:assert/strict';
import { Redactor } from '../../../../src/base/redact';
import { type JobRequests, redactingClient } from '../../../../src/extension/platform/serviceAccess';
import { ServiceError } from '../../../../src/protocol/errors';
import type { WireJob } from '../../../../src/protocol/job';

const KEY = 'canary-"0123456789/+';
const target = { baseUrl: 'https://docs.example', projectId: 'p', apiKey: KEY };

describe('redactingClient', () => {
  const redactor = new Redactor();
  redactor.add(KEY);
  let answer: () => Promise<WireJob>;
  const asking: JobRequests = {
    createJob: () => answer(),
    sendMessage: () => answer(),
    retrieveJob: () => answer(),
    dispose: () => Promise.resolve(),
  };
  const client = redactingClient(asking, redactor);
  const requests = [
    () => client.createJob(target, 'prompt'),
    () => client.sendMessage(target, 'id', 'prompt'),
    () => client.retrieveJob(target, 'id'),
  ];

  it('redacts the key in every field of an answer', async () => {
    const prLink = `https://forge.example/${encodeURIComponent(KEY)}?b=${Buffer.from(KEY).toString('base64')}`;
    const source = { repository: JSON.stringify(KEY), ref: KEY };
    answer = () => Promise.resolve({ id: `id ${KEY}`, status: KEY, prLink, source, error: KEY, more: [KEY] });
    for (const request of requests) {
      const text = JSON.stringify(await request());
      for (const form of ['canary', encodeURIComponent(KEY), Buffer.from(KEY).toString('base64').slice(0, 20)]) {
        assert.ok(!text.includes(form), text);
      }
    }
  });

  it('redacts the key in an error and keeps the rest of the error', async () => {
    const cause = new Error('cause');
    const options = {
      effect: 'refused',
      status: 400,
      retryAfterMs: 5,
      detail: `bad ${KEY}`,
      code: 'X',
      cause,
    } as const;
    answer = () => Promise.reject(new ServiceError('rejected', options));
    for (const request of requests) {
      await assert.rejects(request(), (error: ServiceError) => {
        const { kind, effect, status, retryAfterMs, detail, code } = error;
        assert.deepEqual(
          { kind, effect, status, retryAfterMs, detail, code, cause: error.cause },
          { kind: 'rejected', ...options, detail: 'bad [secret]' },
        );
        return !error.message.includes('canary');
      });
    }
  });
});
