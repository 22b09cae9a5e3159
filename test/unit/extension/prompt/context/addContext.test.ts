import { deepStrictEqual } from 'node:assert/strict';
import { addContext } from '../../../../../src/extension/features/prompt/context/addContext';
import { window } from '../../../../support/fakeEditor';

describe('adding context of an unknown type', () => {
  it('names the type in a message without a link, whatever the argument is', async () => {
    const told: string[] = [];
    Object.assign(window, { showWarningMessage: async (text: string) => void told.push(text) });
    const desk = { inPlaceOf: () => ({}) };
    await addContext({ desk } as never, { kind: '[Run](command:a)' });
    deepStrictEqual(told, ['There’s no context type named “[Run]\u2060(command:a)”.']);
  });
});
