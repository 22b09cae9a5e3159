import { type core, maxLength as libraryMaxLength, minLength as libraryMinLength } from 'zod/mini';

/**
 * Length checks to use instead of the library's own. To report all problems at once, the library measures values of
 * another type too, if they have a `length`. It can't compare that with a number for some objects that JSON can
 * express, and then throws instead of reporting that the value is not valid.
 */
export function minLength(minimum: number): core.$ZodCheck<{ length: number }> {
  return ofTextAndArrays(libraryMinLength(minimum));
}

export function maxLength(maximum: number): core.$ZodCheck<{ length: number }> {
  return ofTextAndArrays(libraryMaxLength(maximum));
}

function ofTextAndArrays<T extends core.$ZodCheckMinLength | core.$ZodCheckMaxLength>(check: T): T {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}
