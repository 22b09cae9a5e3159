/** What stands in the follow-up box and what has become of it. Nothing here loses a text that was typed. */
export interface DraftBox {
  readonly text: string;
  /** What is on its way to the extension. */
  readonly sending?: string | undefined;
  /** Told below the box: why nothing was sent. */
  readonly problem?: string | undefined;
}

export type DraftEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'send' }
  /** Nothing can be sent now, or nothing was typed. */
  | { readonly type: 'refused'; readonly why: string }
  /** What was left, or typed elsewhere, when the extension had heard of this box last that it held `told`. */
  | { readonly type: 'draft'; readonly text: string; readonly told: string }
  | { readonly type: 'kept' }
  | { readonly type: 'notKept'; readonly why?: string | undefined };

export const EMPTY_BOX: DraftBox = { text: '' };

export function nextDraft(box: DraftBox, event: DraftEvent): DraftBox {
  switch (event.type) {
    case 'typed':
      return { text: event.text, sending: box.sending };
    case 'send':
      return box.sending === undefined ? { text: box.text, sending: box.text } : box;
    case 'refused':
      return { ...box, problem: event.why };
    case 'draft':
      return { ...box, text: box.text === event.told ? event.text : joined(event.text, box.text) };
    case 'kept':
      return { text: box.text === box.sending ? '' : box.text };
    case 'notKept':
      return { text: box.text, problem: event.why };
  }
}

/** Whoever typed before the other text had arrived keeps both. */
function joined(draft: string, typed: string): string {
  return typed === '' || typed === draft ? draft : draft === '' ? typed : `${draft}\n\n${typed}`;
}
