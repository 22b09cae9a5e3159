import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { type DraftEvent, EMPTY_BOX, nextDraft } from '../../../../src/extension/features/job-page/page/draftBox';

const after = (...events: readonly DraftEvent[]) => events.reduce(nextDraft, EMPTY_BOX);
const draft = (text: string, told = ''): DraftEvent => ({ type: 'draft', text, told });
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
    strictEqual(after(draft('left')).text, 'left');
    strictEqual(after(typed('new'), draft('left')).text, 'left\n\nnew');
    strictEqual(after(typed('new'), draft('')).text, 'new');
  });

  it('takes what was typed elsewhere in the place of what it had told, and puts it before what is newer', () => {
    strictEqual(after(typed('one'), draft('one, two', 'one')).text, 'one, two');
    strictEqual(after(typed('one'), draft('', 'one')).text, '');
    strictEqual(after(typed('one'), typed('one!'), draft('one, two', 'one')).text, 'one, two\n\none!');
    strictEqual(after(typed('one'), typed('one!'), draft('', 'one')).text, 'one!');
    const box = after(typed('one'), { type: 'send' }, draft('two', 'one'), { type: 'kept' });
    strictEqual(box.text, 'two');
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
      fc.tuple(fc.string(), fc.constantFrom('', 'told')).map(([text, told]) => draft(text, told)),
      fc.constant(typed('told')),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let box = EMPTY_BOX;
        for (const each of events) {
          const next = nextDraft(box, each);
          const isEmptied = each.type === 'kept' && box.text === box.sending;
          const isReplaced = each.type === 'draft' && each.told === box.text;
          ok(
            each.type === 'typed' || isEmptied || isReplaced || next.text.endsWith(box.text),
            JSON.stringify([box, each, next]),
          );
          box = next;
        }
      }),
    );
  });
});
