import * as z from 'zod/mini';

/**
 * A schema that reads as the value whatever does not fit. `z.catch` does the same, and by the way it takes its value
 * brings every helper of the library into the bundle: 9 KB.
 */
export function withFallback<T extends z.core.$ZodType>(
  schema: T,
  value: z.core.output<T>,
): z.ZodMiniType<z.core.output<T>> {
  return new z.ZodMiniCatch({ type: 'catch', innerType: schema, catchValue: () => value }) as z.ZodMiniCatch<T>;
}
