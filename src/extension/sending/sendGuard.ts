import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import { redactFindings } from '../../prompt/secrets/findSecrets';
import { isLikelyOnly, kindName, type Secret } from '../../prompt/secrets/secret';
import type { ApiKeys } from '../platform/apiKeys';
import type { CodeHostTokens } from '../platform/codeHostTokens';

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
