import type { Locator, Page } from 'playwright-core';
import { WAIT_LIMIT } from '../limits';

/** The input at the top of the window: input boxes, quick picks and the command palette. */
export class QuickInput {
  private readonly widget: Locator;
  private readonly input: Locator;
  private readonly progress: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.quick-input-widget:visible');
    this.input = this.widget.locator('.quick-input-box input');
    this.progress = this.widget.locator('.monaco-progress-container.active');
  }

  /** Waits until an input with this title is shown. */
  async expectTitle(title: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-title', { hasText: title }).waitFor();
  }

  /** Waits until the line below the box (prompt or validation message) contains this text. */
  async expectMessage(text: string | RegExp): Promise<void> {
    await this.widget.locator('.quick-input-message', { hasText: text }).waitFor();
  }

  /** Waits until the box shows that it is busy. */
  async expectBusy(): Promise<void> {
    await this.progress.waitFor({ state: 'attached' });
  }

  /** Waits until the box is no longer busy and accepts Enter again. */
  async expectIdle(): Promise<void> {
    await this.progress.waitFor({ state: 'detached' });
  }

  /** The placeholder of the box. */
  async placeholder(): Promise<string> {
    return (await this.input.getAttribute('placeholder')) ?? '';
  }

  /** True if the box masks its input. */
  async isPassword(): Promise<boolean> {
    return (await this.input.getAttribute('type')) === 'password';
  }

  /** Waits until the box contains this text. */
  async expectValue(text: string): Promise<void> {
    const limit = Date.now() + WAIT_LIMIT;
    let value = await this.input.inputValue();
    while (value !== text) {
      if (Date.now() > limit) {
        throw new Error(`the box contains ${JSON.stringify(value)} instead of ${JSON.stringify(text)}`);
      }
      await this.page.waitForTimeout(50);
      value = await this.input.inputValue();
    }
  }

  /** Replaces the text in the box; waits at most this many milliseconds for the box. */
  async fill(text: string, limit?: number): Promise<void> {
    const options = limit === undefined ? {} : { timeout: limit };
    await this.input.waitFor(options);
    await this.input.fill(text, options);
    // The box processes its value a moment later; Enter before that would submit the old one.
    await this.page.waitForTimeout(150);
  }

  /** Presses Enter. */
  async accept(): Promise<void> {
    await this.input.press('Enter');
  }

  /** Presses Escape. */
  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
  }

  /** Goes back one step, with the key binding of this platform. */
  async back(): Promise<void> {
    await this.input.press('Control+Alt+Minus');
  }

  /** Presses a button next to the title. */
  async press(button: string): Promise<void> {
    await this.widget.locator(`.action-label[aria-label="${button}"]`).click();
  }

  /** Fills the box and presses Enter. */
  async answer(text: string): Promise<void> {
    await this.fill(text);
    await this.accept();
  }

  /** The labels of the visible rows. */
  async rows(): Promise<string[]> {
    const rows = this.widget.locator('.monaco-list-row');
    await rows.first().waitFor();
    const labels = (await rows.all()).map((row) => row.getAttribute('aria-label'));
    return (await Promise.all(labels)).map((label) => label ?? '');
  }

  /** Clicks the row that contains this text. */
  async pick(text: string | RegExp): Promise<void> {
    // A pointer that rests on the list opens a hover, which may cover the row.
    await this.page.mouse.move(1, 1);
    await this.widget.locator('.monaco-list-row', { hasText: text }).first().click();
  }

  /** Waits until no input is shown. */
  async expectClosed(): Promise<void> {
    await this.widget.waitFor({ state: 'hidden' });
  }
}
