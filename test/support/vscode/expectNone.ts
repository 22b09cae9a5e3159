import type { Locator } from 'playwright-core';

/**
 * Waits until nothing that the locator finds is visible. `waitFor` alone fails at once while there are two matches,
 * such as two comment threads that are about to be closed.
 */
export async function expectNone(locator: Locator): Promise<void> {
  await locator.filter({ visible: true }).first().waitFor({ state: 'detached' });
}
