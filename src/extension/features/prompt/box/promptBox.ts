import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { Home } from '../../../../jobs/events';
import { toBoxLine } from '../../../platform/sanitize';
import type { SendTime } from '../../../platform/sendTime';
import type { Drafts } from '../../../sending/drafts';
import { notKeptHint, notKeptNotice, refuseTooLong, whyUnsaved } from '../../../sending/promptLimits';
import { type OtherTime, runSession, SendCancelled } from '../../../sending/promptSession';
import type { SendGuard } from '../../../sending/sendGuard';

const COMPOSE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('edit'),
  tooltip: vscode.l10n.t('Go on in the editor, with lines and context'),
};
const PASTE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('clippy'),
  tooltip: vscode.l10n.t(
    'Open the clipboard’s text in the editor: this box holds one line and flattens what is pasted',
  ),
};

export interface PromptBoxOptions {
  title: string;
  placeholder: string;
  /** Where the prompt goes. */
  home: Home;
  /** The prompt that what is typed makes; the text itself where absent. */
  whole?: (typed: string) => Promise<string>;
  /** The text to begin with; the last one that was left for the same goes before it. */
  value?: string;
  /** Names what the text is for: a box gives back what was typed and not sent when it opens for the same again. */
  draft: string;
  /** A warning to show below the box, such as what a send will interrupt. */
  hint?: string | undefined;
  /** One more, which takes a while to find out. */
  laterHint?: Promise<string | undefined>;
  /** Enter alone is an answer. */
  allowEmpty?: boolean;
  /** A second way to send, which is a button of the box. */
  other?: OtherTime | undefined;
  /** Goes on with the text in a document of the editor, which holds lines; resolves when it is safe there. */
  compose?: (text: string) => Promise<unknown>;
}

/** Keeps a whole prompt; `said` when the second way to send was taken. */
export type Keep<T> = (prompt: string, said?: SendTime) => Promise<Keeping<T>>;

/** What a prompt that is kept comes to. */
export interface Keeping<T> {
  finished: Promise<T>;
}

/** Asks for a prompt and loses none: what was typed stays until it is kept elsewhere. */
export class PromptBox {
  constructor(
    private readonly drafts: Drafts,
    private readonly guard: SendGuard,
    private readonly log: Logger,
  ) {}

  /**
   * Returns what the kept prompt came to, or undefined when the box was closed. While `keep` fails the box stays with its
   * text and tells why. `keep` is called with the whole prompt, of which the user was asked what looks like a secret.
   */
  async ask<T>(options: PromptBoxOptions, keep: Keep<T>): Promise<T | undefined> {
    const initial = options.value ?? '';
    // The box holds one line and would flatten the others: they go along as they are.
    const [line = '', ...below] = ((await this.drafts.open(options.draft)) ?? initial).split('\n');
    const box = vscode.window.createInputBox();
    let rest: readonly string[] = below;
    let later: string | undefined;
    box.title = options.title;
    box.placeholder = options.placeholder;
    const keepRest = (lines: readonly string[]): void => {
      rest = lines;
      const hint =
        lines.length === 0
          ? undefined
          : vscode.l10n.t('The other lines of the prompt ({0}) go along unchanged.', lines.length);
      box.prompt = [options.hint, later, hint].filter((each) => each !== undefined).join(' ') || undefined;
    };
    keepRest(below);
    void options.laterHint?.then((found) => {
      later = found;
      keepRest(rest);
    });
    box.value = line;
    box.ignoreFocusOut = true;
    // All of it would be selected, and gone with the first key.
    box.valueSelection = [line.length, line.length];
    const { compose, other } = options;
    const accepted = new vscode.EventEmitter<void>();
    const icon = new vscode.ThemeIcon(other?.time === 'now' ? 'send' : 'clock');
    const second: vscode.QuickInputButton = { iconPath: icon, tooltip: other?.label ?? '' };
    let chosen: SendTime | undefined;
    box.buttons = [...(other === undefined ? [] : [second]), ...(compose === undefined ? [] : [COMPOSE, PASTE])];
    box.onDidTriggerButton((button) => {
      if (button === second) {
        chosen = other?.time;
        accepted.fire();
        chosen = undefined;
      }
    });
    if (compose !== undefined) {
      box.onDidTriggerButton((button) => {
        if (button === second) {
          return;
        }
        const typed = [box.value, ...rest].join('\n');
        // A key that comes meanwhile would be in neither of them.
        box.enabled = false;
        void this.goOn(options.draft, typed === initial ? '' : typed, button === PASTE, compose).then((failure) => {
          if (failure === undefined) {
            box.hide();
          }
          box.enabled = true;
          box.validationMessage = failure;
        });
      });
    }
    const end = await runSession({
      box,
      drafts: this.drafts,
      target: options.draft,
      initial,
      rest,
      onRest: keepRest,
      allowEmpty: options.allowEmpty === true,
      keep: async (typed) => {
        const said = chosen;
        return keep(await this.guarded(await wholeOf(options, typed), options), said);
      },
      onDidAccept: accepted.event,
      words: {
        empty: vscode.l10n.t('Type what the agent should do. An empty prompt is not sent.'),
        notKept: notKeptHint,
      },
    });
    if ('lost' in end) {
      this.offer(end.lost, options, keep);
    }
    if ('heldBack' in end && end.look && compose !== undefined) {
      const failure = await this.goOn(options.draft, end.heldBack === initial ? '' : end.heldBack, false, compose);
      void (failure === undefined || vscode.window.showErrorMessage(failure));
    }
    return 'kept' in end ? end.kept.finished : undefined;
  }

  /**
   * For a prompt that was given, not typed. When it can't be kept it stands in the box, and a notice offers that; `again`
   * keeps what a person then makes of it.
   */
  async given<T>(text: string, options: PromptBoxOptions, keep: Keep<T>, again = keep): Promise<T | undefined> {
    let keeping: Keeping<T>;
    try {
      const prompt = await wholeOf(options, text);
      this.guard.remember(prompt);
      keeping = await keep(prompt);
    } catch (error) {
      await this.drafts.leave(options.draft, text);
      this.offer(error, options, again);
      return undefined;
    }
    return keeping.finished;
  }

  /** The prompt as it may go. Throws SendCancelled when the user wants it not to, and TooLongError. */
  private async guarded(prompt: string, { home, compose }: PromptBoxOptions): Promise<string> {
    refuseTooLong(home, prompt);
    const decision = await this.guard.ask(prompt, compose !== undefined);
    if ('send' in decision) {
      return decision.send;
    }
    throw new SendCancelled('look' in decision ? 'edit' : 'close');
  }

  /** Why the text could not be handed on, for the user: then it is still the draft of the box. */
  private async goOn(
    draft: string,
    typed: string,
    withClipboard: boolean,
    compose: (text: string) => Promise<unknown>,
  ): Promise<string | undefined> {
    try {
      const pasted = withClipboard ? await vscode.env.clipboard.readText() : '';
      await compose([typed, pasted].filter((text) => text.trim() !== '').join('\n\n'));
      // What is typed from now on is typed there.
      this.drafts.type(draft, '');
      return undefined;
    } catch (error) {
      this.log.error('a prompt could not be opened in the editor', error);
      const why = toBoxLine(whyUnsaved(error), 200);
      return vscode.l10n.t('The prompt could not be opened in the editor: {0}. The text is kept here.', why);
    }
  }

  private offer<T>(error: unknown, options: PromptBoxOptions, keep: Keep<T>): void {
    this.log.error('a prompt could not be saved, and was not sent', error);
    const open = vscode.l10n.t('Open prompt');
    const reopen = async (): Promise<void> => {
      if ((await vscode.window.showErrorMessage(notKeptNotice(error), open)) === open) {
        await this.ask(options, keep);
      }
    };
    reopen().catch((failure: unknown) => this.log.error('a prompt could not be opened again', failure));
  }
}

async function wholeOf({ whole }: PromptBoxOptions, typed: string): Promise<string> {
  return whole === undefined ? typed : whole(typed);
}
