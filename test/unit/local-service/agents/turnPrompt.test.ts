import assert from 'node:assert/strict';
import { turnPrompt } from '../../../../src/local-service/agents/turnPrompt';

describe('turnPrompt', () => {
  it('never begins with a slash, because an agent would take the first word for a command', () => {
    assert.equal(turnPrompt([], '/guide is outdated'), '--- New message ---\n/guide is outdated');
    assert.equal(turnPrompt([], '\uFEFF \n/guide is outdated'), '--- New message ---\n\uFEFF \n/guide is outdated');
  });

  it('is the prompt itself on the first turn', () => assert.equal(turnPrompt([], ' as it is\n'), ' as it is\n'));

  it('puts the earlier messages before the new one in a follow-up', () => {
    const text = turnPrompt(
      [
        { prompt: 'First', finished: true, isInSession: true },
        { prompt: 'Second', finished: false, isInSession: false },
      ],
      'Third',
    );
    assert.match(
      text,
      /--- Earlier message 1 ---\nFirst\n\n--- Earlier message 2 \(not finished\) ---\nSecond\n\n--- New message ---\nThird$/,
    );
  });
});
