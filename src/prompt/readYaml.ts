import { CORE_SCHEMA, defineMappingTag, defineScalarTag, defineSequenceTag, load, mergeTag } from 'js-yaml';

/** Nothing here writes YAML. */
const readOnly = { matchByTagPrefix: true, identify: () => false };

/**
 * What stands behind a tag that only another program knows (`!ENV`, `!!python/name:x`) counts as what it is without the
 * tag: a text, a list or a map. Nothing is ever run or looked up for a tag.
 */
const foreignTags = [
  defineScalarTag('', { ...readOnly, resolve: (source) => source }),
  defineSequenceTag<unknown[]>('', { ...readOnly, create: () => [], addItem: (list, item) => void list.push(item) }),
  defineMappingTag<Map<unknown, unknown>, Record<string, unknown>>('', {
    ...readOnly,
    create: () => new Map(),
    addPair: (map, key, value) => {
      map.set(key, value);
      return '';
    },
    has: (map, key) => map.has(key),
    keys: (result) => Object.keys(result),
    get: (result, key) => result[String(key)],
    finalize: (map) => Object.fromEntries([...map].map(([key, value]) => [String(key), value])),
  }),
];

const schema = CORE_SCHEMA.withTags(mergeTag, ...foreignTags);

/**
 * Reads one document of YAML 1.2 as written by people: with merge keys, and with tags that are not known here. An alias
 * gives the same object again, so what is read is not to be walked without a bound.
 *
 * @throws an Error that says what is wrong, with line and column, when it is no YAML
 */
export function readYaml(text: string): unknown {
  return text.trim() === '' ? undefined : load(text, { schema, maxDepth: 60, maxAliases: 1_000 });
}
