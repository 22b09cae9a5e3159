import type { Locator, Page } from 'playwright-core';

/** One notification toast. */
export class Notification {
  constructor(private readonly toast: Locator) {}

  /** Waits until it is shown. */
  async expect(): Promise<void> {
    await this.toast.waitFor();
  }

  /** Its full text, including buttons. */
  async text(): Promise<string> {
    return this.toast.innerText();
  }

  /** The labels of its buttons. */
  async buttons(): Promise<string[]> {
    await this.toast.waitFor();
    return this.toast.locator('.monaco-button').allInnerTexts();
  }

  /** Presses one of its buttons. */
  async click(button: string): Promise<void> {
    await this.toast.locator('.monaco-button', { hasText: button }).click();
  }
}

/** The toasts whose text contains `text`, newest first. */
export function toastsWith(page: Page, text: string | RegExp): Locator {
  return page.locator('.notifications-toasts .notification-toast', { hasText: text });
}
