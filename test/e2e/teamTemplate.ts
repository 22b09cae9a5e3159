import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEMPLATE = 'Write the page.\n';

/** Fills a workspace with a documentation page and a team template. */
export async function fillWithTemplate(workspace: string): Promise<void> {
  await writeFile(join(workspace, 'readme.md'), '# Handbook\n\nRequests are retried three times.\n');
  await mkdir(join(workspace, '.docs-agent', 'prompts'), { recursive: true });
  await writeFile(join(workspace, '.docs-agent', 'prompts', 'Our guide.md'), TEMPLATE);
}
