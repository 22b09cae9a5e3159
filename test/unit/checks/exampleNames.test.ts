import { deepStrictEqual } from 'node:assert/strict';
import { namesOnPage } from '../../../src/checks/collectNames';

function names(example: string, text: string): string[] {
  const page = `Start:\n\n\`\`\`\n${example}\n\`\`\`\n\n${text}\n`;
  return namesOnPage(page, 'docs/a.md', () => false).map(({ name }) => name.name);
}

describe('the names on a page', () => {
  it('exclude what an example declares, and the parameters of its functions', () => {
    const example =
      'async def listen_to_all(app, *, max_retries=3):\n    pass\n\nconst firstClient = run(secondClient);';
    const text = 'The task `listen_to_all` takes `max_retries`, `firstClient` and `secondClient`.';
    deepStrictEqual(names(example, text), ['secondClient']);
  });

  it('include what an example only uses, or shows as an interface', () => {
    const example = 'const x = { max_retries: 3 };\ninterface RetryOptions {}\nfn start(options: StartOptions) {}';
    const text = 'Pass `max_retries` of `RetryOptions` or `StartOptions`, or `--options`.';
    deepStrictEqual(names(example, text), ['max_retries', 'RetryOptions', 'StartOptions', '--options']);
  });

  it('include methods that an example declares, which often implement an interface', () => {
    const example = 'class Own:\n    def process_item(self, spider_name):\n\nfn read_all(&mut self, max_bytes: u64) {}';
    const text = 'Declare `process_item`, `spider_name`, `read_all` and `max_bytes`.';
    deepStrictEqual(names(example, text), ['process_item', 'spider_name', 'read_all', 'max_bytes']);
  });

  it('include declarations in the text itself', () => {
    deepStrictEqual(names('run();', 'Call `function retryAll()`, `def retry_all` or `class RetryAll`.'), [
      'retryAll',
      'retry_all',
      'RetryAll',
    ]);
  });
});
