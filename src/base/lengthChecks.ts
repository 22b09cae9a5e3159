import * as z from 'zod/mini';
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

/**
 * An array, of which only this many elements are read. The library reports each element that is not valid, which takes
 * seconds for a million of them, and then throws because it has no stack left.
 */
export function listOf<T extends core.$ZodType>(element: T, maximum: number): z.ZodMiniType<core.output<T>[]> {
  const start = z.transform((value) => (Array.isArray(value) ? value.slice(0, maximum) : value) as core.input<T>[]);
  return z.pipe(start, z.array(element));
}

/** An array of at most this many elements: those of a longer one are not looked at, and it is not valid. */
export function arrayOf<T extends core.$ZodType>(
  element: T,
  maximum: number,
  minimum = 0,
): z.ZodMiniType<core.output<T>[], core.input<T>[]> {
  const start = z.transform((value: core.input<T>[], { issues }) => {
    if (Array.isArray(value) && value.length > maximum) {
      issues.push({ code: 'too_big', origin: 'array', maximum, input: value });
    }
    return value;
  });
  return z.pipe(start, z.array(element).check(minLength(minimum), maxLength(maximum)));
}

/** A value of this form that has at most this many members and elements, at any depth. Counts them first. */
export function smallOnly<T>(schema: z.ZodMiniType<T>, maximum: number): z.ZodMiniType<T> {
  return z.pipe(
    z.custom((value) => countDown(value, maximum) >= 0),
    schema,
  );
}

/** Subtracts the members and elements of a value; stops below 0. */
function countDown(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) {
    return left;
  }
  let rest = left;
  for (const name in value) {
    rest = countDown((value as Record<string, unknown>)[name], rest - 1);
    if (rest < 0) {
      break;
    }
  }
  return rest;
}
