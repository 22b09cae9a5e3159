import type { SendTime } from '../../../platform/sendTime';
import type { FromPage, ToPage } from '../model';

/** The follow-up box. The extension gets each change, because the page may be closed at any moment. */
export class DraftBox {
  text = '';
  /** The text being sent, until the extension has answered. */
  sending: string | undefined;
  /** Why nothing was sent. */
  problem: string | undefined;
  private readonly callbacks = new Set<() => void>();

  constructor(private readonly post: (message: FromPage) => void) {}

  type(text: string, problem?: string): void {
    this.problem = problem;
    this.change(text);
  }

  /** Puts a text that the page offers below what was typed. */
  add(text: string): void {
    this.type(this.text.includes(text) ? this.text : join(this.text, text));
  }

  send(when: SendTime | undefined): void {
    if (this.sending === undefined) {
      this.sending = this.text;
      this.type(this.text);
      this.post({ type: 'send', text: this.text, ...(when === undefined ? {} : { when }) });
    }
  }

  receive(message: Extract<ToPage, { type: 'draft' | 'saved' | 'notSaved' }>): void {
    switch (message.type) {
      case 'draft':
        // Keeps both texts if the user typed before the other one arrived.
        this.change(this.text === message.lastReceived ? message.text : join(message.text, this.text), message.text);
        break;
      case 'saved':
        // The page may have been loaded again since this text was sent.
        this.sending = this.sending === message.text ? undefined : this.sending;
        this.type(this.text === message.text ? '' : this.text);
        break;
      case 'notSaved':
        this.sending = undefined;
        this.type(this.text, message.why);
    }
  }

  /** Calls back after each change. Returns a function that unsubscribes. */
  onChange(callback: () => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /** @param known what the extension has */
  private change(text: string, known = this.text): void {
    this.text = text;
    if (text !== known) {
      this.post({ type: 'draft', text });
    }
    this.callbacks.forEach((callback) => callback());
  }
}

function join(one: string, other: string): string {
  return one === '' || one === other ? other : other === '' ? one : `${one}\n\n${other}`;
}
