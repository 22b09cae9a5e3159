import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { FromPage } from '../../../../src/extension/features/job-page/model';
import { DraftBox } from '../../../../src/extension/features/job-page/page/draftBox';

type Step = (box: DraftBox) => void;

const typed =
  (text: string): Step =>
  (box) =>
    box.type(text);
const send: Step = (box) => box.send(undefined);
const saved =
  (text: string): Step =>
  (box) =>
    box.receive({ type: 'saved', text });
const failed: Step = (box) => box.receive({ type: 'notSaved', why: 'The disk is full.' });
const added: Step = (box) => box.add('Correct this.');
const draft =
  (text: string, lastReceived = ''): Step =>
  (box) =>
    box.receive({ type: 'draft', text, lastReceived });

function after(...steps: readonly Step[]): { text: string; sending: string | undefined; problem: string | undefined } {
  const box = new DraftBox(() => undefined);
  steps.forEach((step) => step(box));
  const { text, sending, problem } = box;
  return { text, sending, problem };
}

describe('follow-up box on the job page', () => {
  it('is cleared when the sent text is saved, also after the page was reloaded', () => {
    deepStrictEqual(after(typed('one'), send, saved('one')), { text: '', sending: undefined, problem: undefined });
    strictEqual(after(draft('one'), saved('one')).text, '');
    deepStrictEqual(after(draft('one'), typed('two'), send, saved('one')).sending, 'two');
  });

  it('keeps text typed while a send is in progress, and text that could not be saved until the user types', () => {
    strictEqual(after(typed('one'), send, typed('one, two'), saved('one')).text, 'one, two');
    deepStrictEqual(after(typed('one'), send, failed), {
      text: 'one',
      sending: undefined,
      problem: 'The disk is full.',
    });
    strictEqual(after(typed('one'), send, failed, typed('one!')).problem, undefined);
  });

  it('keeps both texts when the user types before the other one arrives', () => {
    strictEqual(after(draft('left')).text, 'left');
    strictEqual(after(typed('new'), draft('left')).text, 'left\n\nnew');
    strictEqual(after(typed('one'), draft('one, two', 'one')).text, 'one, two');
    strictEqual(after(typed('one'), draft('', 'one')).text, '');
    strictEqual(after(typed('one'), typed('one!'), draft('one, two', 'one')).text, 'one, two\n\none!');
    strictEqual(after(typed('one'), send, draft('two', 'one'), saved('one')).text, 'two');
  });

  it('puts text that the page offers below what was typed, once', () => {
    strictEqual(after(added).text, 'Correct this.');
    strictEqual(after(typed('one'), added, added).text, 'one\n\nCorrect this.');
  });

  it('loses no text except what was saved, and tells the extension each change, for any steps', () => {
    const text = fc.constantFrom('', 'sent', 'a', 'b');
    const step = fc.oneof(
      fc.record({ type: fc.constant('typed' as const), text }),
      fc.record({ type: fc.constant('draft' as const), text, lastReceived: text }),
      fc.record({ type: fc.constant('saved' as const), text }),
      fc.constantFrom({ type: 'send' as const }, { type: 'notSaved' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let known = '';
        const box = new DraftBox((message: FromPage) => (known = message.type === 'draft' ? message.text : known));
        for (const each of steps) {
          const before = box.text;
          if (each.type === 'typed') {
            box.type(each.text);
          } else if (each.type === 'send') {
            box.send(undefined);
          } else {
            known = each.type === 'draft' ? each.text : known;
            box.receive(each);
          }
          const isEmptied = each.type === 'saved' && before === each.text;
          const isReplaced = each.type === 'draft' && each.lastReceived === before;
          ok(each.type === 'typed' || isEmptied || isReplaced || box.text.endsWith(before), JSON.stringify(each));
          strictEqual(known, box.text);
        }
      }),
    );
  });
});
