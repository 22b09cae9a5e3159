import assert from 'node:assert/strict';
import { ReviewAccess } from '../../../../src/local-service/http/reviewAccess';
import { ManualClock } from '../../../support/manualClock';

const JOB = '0123456789abcdef';

describe('review page access', () => {
  const clock = new ManualClock();
  const access = new ReviewAccess(clock);

  it('accepts each code once and only for its own job', () => {
    const code = access.newCode(JOB);
    assert.match(code, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(access.redeem('another', code), false);
    assert.equal(access.redeem(JOB, code), true);
    assert.equal(access.redeem(JOB, code), false);
    assert.equal(access.redeem(JOB, ''), false);
  });

  it('rejects a code after two minutes', async () => {
    const [early, late] = [access.newCode(JOB), access.newCode(JOB)];
    await clock.advance(119_000);
    assert.equal(access.redeem(JOB, early), true);
    await clock.advance(2_000);
    assert.equal(access.redeem(JOB, late), false);
  });

  it('keeps a limited number of codes, the newest ones', () => {
    const codes = Array.from({ length: 1_000 }, () => access.newCode(JOB));
    assert.equal(access.redeem(JOB, codes[0] ?? ''), false);
    assert.equal(access.redeem(JOB, codes.at(-1) ?? ''), true);
  });

  it('accepts its cookie only for one job and one service start, even among other cookies', () => {
    const visit = access.visitOf(JOB);
    const cookie = `docs-agent-review=${access.cookieOf(JOB)}`;
    assert.equal(access.admits(JOB, visit, cookie), true);
    assert.equal(access.admits(JOB, visit, `a=b; docs-agent-review=forged;${cookie}; c`), true);
    for (const wrong of ['', 'docs-agent-review=', 'docs-agent-review', `x${cookie}`, access.cookieOf(JOB)]) {
      assert.equal(access.admits(JOB, visit, wrong), false, wrong);
    }
    assert.equal(access.admits('another', access.visitOf('another'), cookie), false);
    assert.equal(access.admits(JOB, 'another', cookie), false);
    assert.equal(new ReviewAccess(clock).admits(JOB, visit, cookie), false);
  });

  it('uses unrelated values for the path and the cookie of a page', () => {
    const made = [access.visitOf(JOB), access.cookieOf(JOB), access.visitOf('another'), access.cookieOf('another')];
    assert.equal(new Set(made).size, made.length);
    assert.equal(access.visitOf(JOB), made[0]);
  });
});
