import { deepStrictEqual, rejects } from 'node:assert/strict';
import { window, workspace } from '../../../support/fakeEditor';
import { trackedJob } from '../../../support/trackedJob';
import { exportedActions } from '../../../../src/extension/exportedActions';
import { Sender } from '../../../../src/extension/sending/sender';
import type { OutgoingPrompt } from '../../../../src/jobs/trackedJob';

const nothing = (): undefined => undefined;

/** Texts that look like nothing. */
const BLANK = ['', ' \n\t', '\u00a0\u3000', '\u200b\ufeff\u2060', '\u2800\u3164'];

describe('a blank prompt', () => {
  it('is refused before anything is saved, also with standing instructions', async () => {
    workspace['getConfiguration'] = () => ({ get: () => 'Write British English.' });
    // It throws if it is asked to save something.
    const sender = new Sender({} as never, {} as never, {} as never);
    const job = trackedJob();
    const actions = exportedActions({ sender } as never);
    for (const text of BLANK) {
      await rejects(sender.create(job.location, text), /Enter a prompt\./);
      await rejects(sender.followUp(job, text), /Enter a prompt\./);
      await rejects(sender.again(job, {} as OutgoingPrompt, { text }), /Enter a prompt\./);
      await rejects(actions.createJob(text, undefined), /The prompt is empty\./);
      await rejects(actions.sendFollowUp('k', text), /The prompt is empty\./);
    }
  });
});

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

describe('a prompt that the service rejected', () => {
  const offers: [string, Pick<OutgoingPrompt, 'kind' | 'reason'>, string[]][] = [
    ['its text', { kind: 'create', reason: { kind: 'rejected' } }, ['Edit and Send…']],
    ['a wrong project', { kind: 'create', reason: { kind: 'notFound' } }, ['Change Project…']],
    ['a key', { kind: 'create', reason: { kind: 'forbidden' } }, ['Set API Key', 'Change Project…', 'Send Now']],
    ['a plan', { kind: 'create', reason: { kind: 'forbidden', status: 402 } }, ['Set API Key', 'Send Now']],
    ['a key, of a follow-up,', { kind: 'followUp', reason: { kind: 'forbidden' } }, ['Set API Key', 'Send Now']],
  ];
  for (const [what, rejected, expected] of offers) {
    it(`because of ${what} can be mended from the message`, async () => {
      let offered: string[] = [];
      Object.assign(window, {
        withProgress: (_: unknown, task: () => unknown) => task(),
        showErrorMessage: async (_: string, ...buttons: string[]) => void (offered = buttons),
      });
      const result = { job: trackedJob(), prompt: { id: 's', state: 'rejected', ...rejected } };
      const outbox = { followUp: async () => ({ ...result, sent: Promise.resolve(result) }) };
      const sender = new Sender(outbox as never, {} as never, {} as never);
      await (
        await sender.followUp(result.job, 'Prompt')
      ).sent;
      deepStrictEqual(offered, [...expected, 'Show in List']);
    });
  }
});
