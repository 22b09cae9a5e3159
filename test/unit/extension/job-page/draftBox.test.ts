import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { type DraftEvent, EMPTY_BOX, nextDraft } from '../../../../src/extension/features/job-page/page/draftBox';

const after = (...events: readonly DraftEvent[]) => events.reduce(nextDraft, EMPTY_BOX);
const draft = (text: string, told = ''): DraftEvent => ({ type: 'draft', text, told });
const typed = (text: string): DraftEvent => ({ type: 'typed', text });
const kept = (text: string): DraftEvent => ({ type: 'kept', text });

describe('follow-up box on the job page', () => {
  it('is cleared when the sent text is saved', () => {
    deepStrictEqual(after(typed('one'), { type: 'send' }, kept('one')), { text: '', sending: undefined });
  });

  it('keeps text typed while a send is in progress', () => {
    strictEqual(after(typed('one'), { type: 'send' }, typed('one, two'), kept('one')).text, 'one, two');
  });

  it('keeps the text and shows the reason when saving fails, until the user types', () => {
    const box = after(typed('one'), { type: 'send' }, { type: 'notKept', why: 'The disk is full.' });
    deepStrictEqual(box, { text: 'one', problem: 'The disk is full.' });
    strictEqual(nextDraft(box, typed('one!')).problem, undefined);
  });

  it('keeps both texts when the user types before the draft arrives', () => {
    strictEqual(after(draft('left')).text, 'left');
    strictEqual(after(typed('new'), draft('left')).text, 'left\n\nnew');
    strictEqual(after(typed('new'), draft('')).text, 'new');
  });

  it('replaces the text it had reported with text typed elsewhere, and puts newer text after it', () => {
    strictEqual(after(typed('one'), draft('one, two', 'one')).text, 'one, two');
    strictEqual(after(typed('one'), draft('', 'one')).text, '');
    strictEqual(after(typed('one'), typed('one!'), draft('one, two', 'one')).text, 'one, two\n\none!');
    strictEqual(after(typed('one'), typed('one!'), draft('', 'one')).text, 'one!');
    const box = after(typed('one'), { type: 'send' }, draft('two', 'one'), kept('one'));
    strictEqual(box.text, 'two');
  });

  it('is cleared of a text that was sent before the page was reloaded, and of no other', () => {
    strictEqual(after(draft('one'), kept('one')).text, '');
    const box = after(draft('one'), typed('two'), { type: 'send' }, kept('one'));
    deepStrictEqual(box, { text: 'two', sending: 'two' });
  });

  it('puts text that the page offers below what was typed, once', () => {
    const list: DraftEvent = { type: 'added', text: 'Correct this.' };
    strictEqual(after(list).text, 'Correct this.');
    strictEqual(after(typed('one'), list, list).text, 'one\n\nCorrect this.');
    strictEqual(after(typed('one'), { type: 'send' }, list, kept('one')).text, 'one\n\nCorrect this.');
  });

  it('loses no text except what was saved, for any events', () => {
    const event = fc.oneof(
      fc.string({ minLength: 1 }).map(typed),
      fc.constantFrom<DraftEvent>({ type: 'send' }, kept('told'), { type: 'notKept' }, { type: 'refused', why: 'No.' }),
      fc.tuple(fc.string(), fc.constantFrom('', 'told')).map(([text, told]) => draft(text, told)),
      fc.constant(typed('told')),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let box = EMPTY_BOX;
        for (const each of events) {
          const next = nextDraft(box, each);
          const isEmptied = each.type === 'kept' && box.text === each.text;
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
