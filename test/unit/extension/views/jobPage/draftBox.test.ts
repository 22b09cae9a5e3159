import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { type DraftEvent, EMPTY_BOX, nextDraft } from '../../../../../src/extension/views/jobPage/page/draftBox';

const after = (...events: readonly DraftEvent[]) => events.reduce(nextDraft, EMPTY_BOX);
const typed = (text: string): DraftEvent => ({ type: 'typed', text });

describe('the follow-up box of a job’s page', () => {
  it('is emptied when what was sent is kept', () => {
    deepStrictEqual(after(typed('one'), { type: 'send' }, { type: 'kept' }), { text: '' });
  });

  it('keeps what was typed while a send was on its way', () => {
    strictEqual(after(typed('one'), { type: 'send' }, typed('one, two'), { type: 'kept' }).text, 'one, two');
  });

  it('keeps the text when it was not kept, and says why until something is typed', () => {
    const box = after(typed('one'), { type: 'send' }, { type: 'notKept', why: 'The disk is full.' });
    deepStrictEqual(box, { text: 'one', problem: 'The disk is full.' });
    strictEqual(nextDraft(box, typed('one!')).problem, undefined);
  });

  it('keeps both when somebody types before the draft has come', () => {
    strictEqual(after({ type: 'draft', text: 'left' }).text, 'left');
    strictEqual(after(typed('new'), { type: 'draft', text: 'left' }).text, 'left\n\nnew');
    strictEqual(after(typed('new'), { type: 'draft', text: '' }).text, 'new');
  });

  it('loses nothing but what was kept, whatever happens', () => {
    const event = fc.oneof(
      fc.string({ minLength: 1 }).map(typed),
      fc.constantFrom<DraftEvent>(
        { type: 'send' },
        { type: 'kept' },
        { type: 'notKept' },
        { type: 'refused', why: 'No.' },
      ),
      fc.string().map((text): DraftEvent => ({ type: 'draft', text })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let box = EMPTY_BOX;
        for (const each of events) {
          const next = nextDraft(box, each);
          const isEmptied = each.type === 'kept' && box.text === box.sending;
          ok(each.type === 'typed' || isEmptied || next.text.endsWith(box.text), JSON.stringify([box, each, next]));
          box = next;
        }
      }),
    );
  });
});
