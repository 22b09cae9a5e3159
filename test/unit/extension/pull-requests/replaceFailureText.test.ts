import { strictEqual } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { replaceFailureText } from '../../../../src/extension/features/pull-requests/applyChanges';
import { CHANGED, ReplaceError } from '../../../../src/git/replaceFiles';

describe('the message when a file couldn’t be replaced', () => {
  it('says that nothing was changed if everything was put back', () => {
    const error = new ReplaceError('z/x.md', 'EACCES', 'EACCES: permission denied', [], '/tmp/copies');
    strictEqual(
      replaceFailureText(error),
      'Couldn’t apply the changes: no write access to z/x.md (EACCES). Nothing was changed.',
    );
  });

  it('names what couldn’t be put back, and where the copies are', () => {
    const error = new ReplaceError('z/x.md', CHANGED, 'The file was changed.', ['a/x.md'], '/tmp/copies');
    strictEqual(
      replaceFailureText(error),
      'Couldn’t apply the changes: z/x.md was saved in the meantime. These files couldn’t be restored: a/x.md. ' +
        'Copies of the replaced files are in /tmp/copies.',
    );
  });
});
