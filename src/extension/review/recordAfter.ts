import type { CheckoutRecord } from '../../storage/checkoutRecords';

/**
 * The record of a checkout that follows another one in the same repository. It loses neither the way back nor a stash:
 * the earlier checkout stays below it. From one job's branch to the next with nothing to stash it goes back as before.
 */
export function recordAfter(last: CheckoutRecord | undefined, next: CheckoutRecord): CheckoutRecord {
  if (last === undefined) {
    return next;
  }
  if (next.step === 'there' && next.message === undefined && last.ref === next.before) {
    return next.ref === last.before ? last : { ...last, ref: next.ref, step: 'there' };
  }
  const { ref, before, step, message, stash, earlier = [] } = last;
  return { ...next, earlier: [{ ref, before, step, message, stash }, ...earlier] };
}
