import type { SecretStorage } from 'vscode';

/** What follows the prefix in the names of stored secrets; none where the editor can't list them (an older one). */
export async function storedNames(
  secrets: SecretStorage & { keys?: () => Thenable<string[]> },
  prefix: string,
): Promise<string[]> {
  const names = (await secrets.keys?.()) ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
