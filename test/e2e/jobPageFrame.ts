import type { FrameLocator, Locator } from 'playwright-core';
import type { Workbench } from '../support/vscode/workbench';

/** Returns the labels whose text takes more than one line. */
const BROKEN = `[...document.querySelectorAll('dt')]
  .filter((label) => {
    const range = document.createRange();
    range.selectNodeContents(label);
    return range.getClientRects().length > 1;
  })
  .map((label) => label.textContent)`;

/** The visible page of a job, as a user sees it. */
export class JobPageFrame {
  readonly frame: FrameLocator;

  constructor(private readonly workbench: Workbench) {
    // The editor hides a page that is not visible, but keeps its frame for a moment.
    const outer = workbench.page.frameLocator('iframe.webview.ready:visible');
    this.frame = outer.frameLocator('iframe#active-frame');
  }

  get box(): Locator {
    return this.frame.locator('textarea');
  }

  get state(): Locator {
    return this.frame.locator('.state');
  }

  /** The button or link with this name. */
  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name }).first();
  }

  /** The names of the primary buttons. */
  primaries(): Promise<string[]> {
    return this.frame.locator('button.primary').allInnerTexts();
  }

  /** The labels of the job's facts that do not fit on one line. */
  brokenLabels(): Promise<string[]> {
    return this.frame.locator('dt').first().evaluate<string[], unknown>(BROKEN);
  }

  async expectState(text: string | RegExp): Promise<void> {
    await this.frame.locator('.state', { hasText: text }).waitFor();
  }

  async expectText(text: string | RegExp): Promise<void> {
    await this.frame.getByText(text).first().waitFor();
  }

  /** Waits until the box contains this text. */
  async expectDraft(text: string): Promise<void> {
    for (let tries = 0; tries < 200 && (await this.box.inputValue()) !== text; tries++) {
      await this.workbench.page.waitForTimeout(50);
    }
    const value = await this.box.inputValue();
    if (value !== text) {
      throw new Error(`the box holds ${JSON.stringify(value)}`);
    }
  }

  /** The titles of the open tabs. */
  tabs(): Promise<string[]> {
    return this.workbench.host.run((vscode) =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
    );
  }
}
