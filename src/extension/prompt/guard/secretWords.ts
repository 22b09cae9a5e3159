import * as vscode from 'vscode';
import { isLikelyOnly } from '../../../prompt/secrets/isLikelyOnly';
import { kindName } from '../../../prompt/secrets/kindName';
import type { Secret } from '../../../prompt/secrets/secret';

/** So many are named. */
const MAX_NAMED = 4;

/** “GitHub token (line 3), private key (line 9)”. Says nothing of the secrets themselves. */
export function placedKinds(text: string, secrets: readonly Secret[]): string {
  const named = secrets.slice(0, MAX_NAMED).map(({ kind, start }) => {
    const line = text.slice(0, start).split('\n').length;
    return isLikelyOnly(kind)
      ? vscode.l10n.t('maybe {0} (line {1})', kindName(kind), line)
      : vscode.l10n.t('{0} (line {1})', kindName(kind), line);
  });
  const more = secrets.length - named.length;
  return [...named, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])].join(', ');
}
