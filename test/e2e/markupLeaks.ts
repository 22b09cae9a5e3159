import type { Page } from 'playwright-core';

/** Where foreign text became more than plain text, over all parts of a window that show it. */
export interface MarkupLeaks {
  /** The texts that were checked, by place. */
  texts: Record<string, string[]>;
  links: string[];
  icons: string[];
  images: string[];
  /** Texts with invisible characters or characters that change the text direction. */
  unseen: string[];
}

/** Where foreign text is shown, and which icons in it belong to the extension. */
const PLACES = {
  toast: { text: '.notifications-toasts .notification-list-item-message', own: '' },
  notifications: { text: '.notifications-center .notification-list-item-message', own: '' },
  tree: { text: '.pane .monaco-list-row :is(.label-name, .label-description)', own: '' },
  pick: { text: '.quick-input-widget .monaco-list-row :is(.label-name, .label-description)', own: '' },
  title: { text: '.quick-input-widget .quick-input-title', own: '' },
  message: { text: '.quick-input-widget .quick-input-message', own: '' },
  status: {
    // The jobs item holds only the extension's own icons and numbers.
    text: '.statusbar-item[id^="docs-agent"]:not([id$="docsAgent.jobs"]), .statusbar-item[id="status.extensionMessage"]',
    own: '.codicon-check',
  },
  tooltip: { text: '.monaco-hover .hover-contents, .workbench-hover .hover-contents', own: '' },
  view: { text: '.pane .tree-explorer-viewlet-tree-view .message', own: '' },
} as const;

/** Reads the current content of the window. */
export function findMarkupLeaks(page: Page): Promise<MarkupLeaks> {
  // The function runs in the page, whose types are not the types of these sources. `__name` is a helper that the
  // bundler of the test may have inserted around function names.
  return page.evaluate(`((__name) => (${collect.toString()})(${JSON.stringify(PLACES)}))((value) => value)`);
}

/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-explicit-any */
function collect(places: Record<string, { text: string; own: string }>): MarkupLeaks {
  const page = (globalThis as any).document;
  const marks: MarkupLeaks = { texts: {}, links: [], icons: [], images: [], unseen: [] };
  for (const [place, { text, own }] of Object.entries(places)) {
    const elements: any[] = [...page.querySelectorAll(text)].filter((each: any) => each.offsetParent !== null);
    marks.texts[place] = elements.map((each) => each.innerText as string);
    for (const element of elements) {
      const found = (selector: string): string[] =>
        [...element.querySelectorAll(selector)].map((each: any) => `${place}: ${each.outerHTML as string}`);
      marks.links.push(...found(place === 'status' ? 'a[href]:not([href=""])' : 'a, [data-href], [role="link"]'));
      marks.icons.push(...found(own === '' ? '.codicon' : `.codicon:not(${own})`));
      marks.images.push(...found('img, picture, svg, iframe, script, style, [style*="url("], [onerror], details'));
      const aloud: string = element.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
      for (const told of [element.innerText as string, aloud]) {
        if (/\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/u.test(told)) {
          marks.unseen.push(`${place}: ${JSON.stringify(told)}`);
        }
      }
    }
  }
  return marks;
}
