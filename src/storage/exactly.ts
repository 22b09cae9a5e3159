import type * as z from 'zod/mini';

type Check = (value: unknown) => boolean;

/** The parts of a definition that count here, and the words of its refusal. Any other may ask for more, or change the value. */
const PARTS = new Set([
  'type',
  'checks',
  'values',
  'entries',
  'innerType',
  'shape',
  'options',
  'discriminator',
  'inclusive',
  'error',
]);

/**
 * A check that is true only for decoded JSON which the schema takes and gives back as it is, and takes a small part of the
 * time that the schema does. False says nothing: the schema itself tells.
 */
export function exactly(schema: z.core.$ZodType): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ((def.checks ?? []).length > 0 || Object.keys(def).some((part) => !PARTS.has(part))) {
    return () => false;
  }
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOfNames(Object.values(def.entries));
    case 'optional':
      return exactly(def.innerType);
    case 'nullable':
      return orNull(exactly(def.innerType));
    case 'object':
      return members(def.shape);
    case 'union':
      return 'discriminator' in def ? oneOfKinds(def as z.core.$ZodDiscriminatedUnionDef) : () => false;
    default:
      return () => false;
  }
}

function oneOf(values: readonly unknown[]): Check {
  const known = new Set(values);
  return (value) => known.has(value);
}

/** An enumeration of TypeScript that has numbers also has the names of its members among its values. */
function oneOfNames(values: readonly unknown[]): Check {
  return values.every((value) => typeof value === 'string') ? oneOf(values) : () => false;
}

function orNull(inner: Check): Check {
  return (value) => value === null || inner(value);
}

/** Members that the schema does not know of are for the schema to leave out. */
function members(shape: z.core.$ZodShape): Check {
  const checks = new Map(
    Object.entries(shape).map(([name, schema]) => [
      name,
      { isRequired: schema._zod.optin === undefined, isExact: exactly(schema) },
    ]),
  );
  const required = [...checks.values()].filter(({ isRequired }) => isRequired).length;
  return (value) => {
    if (!isObject(value)) {
      return false;
    }
    let found = 0;
    // No list of the names is made: there are some hundred thousand objects in a long list of jobs.
    for (const name in value) {
      const member = checks.get(name);
      if (member?.isExact(value[name]) !== true) {
        return false;
      }
      found += member.isRequired ? 1 : 0;
    }
    return found === required;
  };
}

function oneOfKinds({ options, discriminator }: z.core.$ZodDiscriminatedUnionDef): Check {
  const kinds = new Map<unknown, Check>();
  for (const option of options) {
    const check = exactly(option);
    option._zod.propValues?.[discriminator]?.forEach((kind) => kinds.set(kind, check));
  }
  return (value) => isObject(value) && kinds.get(value[discriminator])?.(value) === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
