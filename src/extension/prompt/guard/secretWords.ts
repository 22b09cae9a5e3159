import * as vscode from 'vscode';
import { kindName } from '../../../prompt/secrets/kindName';
import type { Secret } from '../../../prompt/secrets/secret';

const { t } = vscode.l10n;

/** So many are named. */
const MAX_NAMED = 4;

/** “GitHub token (line 3), private key (line 9)”. Says nothing of the secrets themselves. */
export function placedKinds(text: string, secrets: readonly Secret[]): string {
  const named = secrets
    .slice(0, MAX_NAMED)
    .map(({ kind, start }) => t('{0} (line {1})', kindName(kind), text.slice(0, start).split('\n').length));
  const more = secrets.length - named.length;
  return [...named, ...(more > 0 ? [t('{0} more', more)] : [])].join(', ');
}
