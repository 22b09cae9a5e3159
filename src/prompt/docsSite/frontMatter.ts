import { readYaml } from '../readYaml';
import { asRecord } from './navigation';

/** What stands in a page's front matter; nothing where there is none, or none that can be read. */
export function frontMatterOf(text: string): Record<string, unknown> {
  const [, yaml] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  try {
    return (yaml === undefined ? undefined : asRecord(readYaml(yaml))) ?? {};
  } catch {
    return {};
  }
}
