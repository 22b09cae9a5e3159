import { deepStrictEqual } from 'node:assert/strict';
import { window } from '../../../support/fakeEditor';
import { trackedJob } from '../../../support/trackedJob';
import { Sender } from '../../../../src/extension/sending/sender';
import type { OutgoingPrompt } from '../../../../src/jobs/trackedJob';

const nothing = (): undefined => undefined;

describe('a prompt that was not sent because there was no API key', () => {
  /** The boxes and notifications that ask for a key, when the box is closed with this key. */
  async function send({ now, entered }: { now?: string; entered?: string }): Promise<string[]> {
    const shown: string[] = [];
    let key = now;
    const keys = { get: async () => key, set: async (_: string, value: string) => void (key = value) };
    const notices = { claim: async () => true, show: () => void shown.push('notification') };
    Object.assign(window, {
      withProgress: (_: unknown, task: () => unknown) => task(),
      createInputBox: () => {
        let [accept, hide] = [nothing, nothing];
        return {
          value: entered,
          onDidAccept: (listener: () => undefined) => (accept = listener),
          onDidHide: (listener: () => undefined) => (hide = listener),
          onDidChangeValue: nothing,
          show: () => {
            shown.push('box');
            (entered === undefined ? hide : accept)();
          },
          dispose: nothing,
        };
      },
    });
    const prompt = { id: 's', state: 'waiting', waiting: { for: 'apiKey', isMissing: true } } as OutgoingPrompt;
    const job = trackedJob({ location: { service: 'https://docs.example', projectId: 'p' } });
    const result = { job, prompt };
    const outbox = { followUp: async () => ({ ...result, sent: Promise.resolve(result) }) };
    const sender = new Sender(outbox as never, keys as never, notices);
    await (
      await sender.followUp(job, 'Prompt')
    ).sent;
    await new Promise((resolve) => setImmediate(resolve));
    return shown;
  }

  it('asks for it, and shows a notification only when the box is closed without one', async () => {
    deepStrictEqual(await send({ entered: 'a-key-of-this-test' }), ['box']);
    deepStrictEqual(await send({}), ['box', 'notification']);
  });

  it('does not ask if there is one by now, such as for the prompt before', async () => {
    deepStrictEqual(await send({ now: 'key' }), []);
  });
});
