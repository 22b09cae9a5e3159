import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import type { ServiceLocation } from '../../jobs/events';
import { redactFindings } from '../../prompt/secrets/findSecrets';
import { isLikelyOnly, kindName, type Secret } from '../../prompt/secrets/secret';
import type { ApiKeys } from '../platform/apiKeys';
import type { CodeHostTokens } from '../platform/codeHostTokens';
import type { SendTime } from '../platform/sendTime';
import { refuseUnsendable } from './promptLimits';
import type { Sending } from './sender';

/** Where a prompt goes, and how it is built and saved. */
export interface PromptTarget {
  location: ServiceLocation;
  /** Builds the full prompt from the user's text; otherwise, the text is the prompt. */
  toPrompt?: (text: string) => Promise<string>;
  /**
   * Saves the prompt, which then is on its way.
   *
   * @param time when to send it, if that was chosen
   * @returns undefined if the user decides against sending
   */
  save: (prompt: string, time?: SendTime) => Promise<Sending | undefined>;
}

export interface PromptRequest extends PromptTarget {
  /** Returns the user's current text. */
  text: () => string;
  time?: SendTime | undefined;
  /** A prompt from a program is not checked for secrets; what was found is logged. */
  isFromProgram?: boolean | undefined;
  /** Shows the text in the editor, where it is a draft. Rejects if it can't be saved there. */
  edit?: (prompt: string, secrets: readonly Secret[]) => Promise<unknown>;
}

/** What happened to a text. Unless it was sent, its draft is to be kept; if it was saved, the editor has it. */
export type Outcome =
  | { outcome: 'sent'; sending: Sending }
  | { outcome: 'saved' }
  | { outcome: 'failed'; error: unknown }
  | { outcome: 'cancelled' };

/** Checks a prompt and saves it to be sent. Never rejects; a failure is logged, and the caller tells the user. */
export async function sendPrompt(
  { guard, log }: { guard: SendGuard; log: Logger },
  { location, text, toPrompt, save, time, isFromProgram = false, edit }: PromptRequest,
): Promise<Outcome> {
  try {
    for (;;) {
      const typed = text();
      const prompt = toPrompt === undefined ? typed : await toPrompt(typed);
      refuseUnsendable(location, prompt);
      if (isFromProgram) {
        guard.remember(prompt);
      }
      const decision = isFromProgram ? { send: prompt } : await guard.ask(prompt, edit !== undefined);
      if (decision === undefined) {
        return { outcome: 'cancelled' };
      }
      if ('review' in decision) {
        await edit?.(prompt, decision.review);
        return { outcome: 'saved' };
      }
      // What was typed while the question was open has not been checked.
      if (text() === typed) {
        const sending = await save(decision.send, time);
        return sending === undefined ? { outcome: 'cancelled' } : { outcome: 'sent', sending };
      }
    }
  } catch (error) {
    log.error('couldn’t save a prompt, so it wasn’t sent', error);
    return { outcome: 'failed', error };
  }
}

/** The user's decision: send this text, or review the findings. */
export type Decision = { send: string } | { review: readonly Secret[] };

/** Checks each prompt before it is sent: what looks like a secret is sent only if the user agrees. */
export class SendGuard {
  constructor(
    private readonly finder: SecretFinder,
    private readonly log: Logger,
  ) {}

  /**
   * @param canReview whether there is a place that can show the findings
   * @returns undefined if nothing is to be sent for now
   */
  async ask(prompt: string, canReview: boolean): Promise<Decision | undefined> {
    const secrets = await this.finder.find(prompt);
    if (secrets.length === 0) {
      return { send: prompt };
    }
    const several = secrets.length > 1;
    const redact = {
      label: several
        ? vscode.l10n.t('$(eye-closed) Redact All and Send')
        : vscode.l10n.t('$(eye-closed) Redact and Send'),
      detail: vscode.l10n.t('Also redacted in your prompt history'),
      decision: { send: redactFindings(prompt, secrets, kindName) },
    };
    const review = {
      label: vscode.l10n.t('$(search) Review in Editor'),
      detail: vscode.l10n.t('Nothing is sent'),
      decision: { review: secrets },
    };
    const asItIs = {
      label: vscode.l10n.t('$(send) Send Anyway'),
      detail: placedKinds(prompt, secrets),
      decision: { send: prompt },
    };
    const items: (vscode.QuickPickItem & { decision: Decision })[] = [redact, ...(canReview ? [review] : []), asItIs];
    const title = titleOf(secrets);
    const placeHolder = vscode.l10n.t('{0}. Press Escape to cancel', placedKinds(prompt, secrets));
    const choice = await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
    return choice?.decision;
  }

  /** Describes the secrets in a prompt from a program, for a confirmation; undefined if nothing looks like a secret. */
  async warning(prompt: string): Promise<string | undefined> {
    const secrets = await this.finder.find(prompt);
    if (secrets.length === 0) {
      return undefined;
    }
    const places = placedKinds(prompt, secrets);
    return secrets.every(isGuess)
      ? vscode.l10n.t('This prompt may contain a secret, which is sent unchanged: {0}.', places)
      : vscode.l10n.t('This prompt seems to contain a secret, which is sent unchanged: {0}.', places);
  }

  /**
   * Logs which kinds of secrets a prompt from a program contains, without the secrets. The prompt is sent unchanged.
   */
  remember(prompt: string): void {
    this.finder.find(prompt).then(
      (secrets) => {
        if (secrets.length > 0) {
          this.log.warn(
            `a prompt from a command or another program may contain secrets: ${placedKinds(prompt, secrets)}`,
          );
        }
      },
      (error: unknown) => this.log.error('couldn’t scan a prompt for secrets', error),
    );
  }
}

const isGuess = ({ kind }: Secret): boolean => isLikelyOnly(kind);

/** If all findings are guesses, the title says so. */
function titleOf(secrets: readonly Secret[]): string {
  const several = secrets.length > 1;
  if (secrets.every(isGuess)) {
    return several
      ? vscode.l10n.t('This prompt may contain {0} secrets', secrets.length)
      : vscode.l10n.t('This prompt may contain a secret');
  }
  return several
    ? vscode.l10n.t('This prompt seems to contain {0} secrets', secrets.length)
    : vscode.l10n.t('This prompt seems to contain a secret');
}

/** The maximum number of findings to list. */
const MAX_NAMED = 4;

/** “GitHub token (line 3), private key (line 9)”. Does not reveal the secrets. */
function placedKinds(text: string, secrets: readonly Secret[]): string {
  const named = secrets.slice(0, MAX_NAMED).map(({ kind, start }) => {
    const line = text.slice(0, start).split('\n').length;
    return isLikelyOnly(kind)
      ? vscode.l10n.t('possibly {0} (line {1})', kindName(kind), line)
      : vscode.l10n.t('{0} (line {1})', kindName(kind), line);
  });
  const more = secrets.length - named.length;
  return [...named, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])].join(', ');
}

export interface SecretFinderOptions {
  keys: ApiKeys;
  tokens: CodeHostTokens;
  log: Logger;
}

/** Finds what looks like a secret in a prompt, by the rules of a library and by the stored keys and tokens. */
export class SecretFinder {
  constructor(private readonly options: SecretFinderOptions) {}

  /**
   * Returns the findings in text order, without overlaps. Yields regularly while scanning a long text. Rejects with the
   * signal's reason once aborted.
   */
  async find(text: string, signal?: AbortSignal): Promise<Secret[]> {
    const [found = []] = await this.findEach([text], signal);
    return found;
  }

  /** Like `find`, for each of several texts. */
  async findEach(texts: readonly string[], signal?: AbortSignal): Promise<Secret[][]> {
    const { keys, tokens, log } = this.options;
    const added = Promise.all([keys.addStoredSecrets(), tokens.addStoredSecrets()]).catch((error: unknown) =>
      log.warn('couldn’t read all stored keys to scan a prompt for them', error),
    );
    const [{ findSecrets, ownDetectors }, { ruleDetectors }] = await Promise.all([
      import('../../prompt/secrets/findSecrets'),
      import('../../prompt/secrets/ruleDetectors'),
    ]);
    await added;
    const detectors = [...ownDetectors(keys), ...ruleDetectors()];
    const found: Secret[][] = [];
    for (const text of texts) {
      found.push(await findSecrets(text, detectors, signal));
    }
    return found;
  }
}
