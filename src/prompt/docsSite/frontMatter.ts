import { frontMatterRange } from '../frontMatterRange';
import { readYaml } from '../readYaml';
import { asRecord } from './navigation';

/** What stands in a page's front matter; nothing where there is none, or none that can be read. */
export function frontMatterOf(text: string): Record<string, unknown> {
  const range = frontMatterRange(text);
  if (range?.bodyStart === undefined) {
    return {};
  }
  try {
    return asRecord(readYaml(text.slice(range.start, range.end))) ?? {};
  } catch {
    return {};
  }
}
