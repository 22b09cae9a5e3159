import { deepStrictEqual } from 'node:assert/strict';
import { editor, window } from '../../../support/fakeEditor';

describe('tab that shows the changes of a job', () => {
  for (const [what, input, isOpen] of [
    ['the view of the changes', undefined, true],
    ['the page of the job, which has the same title', new editor.TabInputWebview(), false],
  ] as const) {
    it(`${isOpen ? 'is' : 'is not'} ${what}`, async () => {
      const { activeView } = await import('../../../../src/extension/features/pull-requests/openChanges');
      const activeTab = { label: 'Document the limits', input };
      window['tabGroups'] = { activeTabGroup: { activeTab }, all: [{ tabs: [activeTab] }] };
      deepStrictEqual(activeView('Document the limits').isOpen(), isOpen);
    });
  }

  for (const typed of ['', 'Why']) {
    it(`is ${typed === '' ? 'closed' : 'kept open while a comment is typed'} when newer changes open`, async () => {
      const { activeView } = await import('../../../../src/extension/features/pull-requests/openChanges');
      const activeTab = { label: 'Document the limits', input: undefined };
      const closed: unknown[] = [];
      const close = (tab: unknown): unknown => closed.push(tab);
      window['tabGroups'] = { activeTabGroup: { activeTab }, all: [{ tabs: [activeTab] }], close };
      const { workspace } = editor as unknown as { workspace: { textDocuments: unknown[] } };
      workspace.textDocuments = [{ uri: { scheme: 'comment' }, getText: () => typed }];
      await activeView('Document the limits').close();
      deepStrictEqual(closed, typed === '' ? [activeTab] : []);
      workspace.textDocuments = [];
    });
  }
});
