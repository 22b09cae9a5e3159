import { type ServiceInput, serviceInputSchema } from '../protocol/localService';
import { UsageError } from './commandLine';

const MAX_LINE_BYTES = 64 * 1024;
const PATIENCE_MS = 10_000;

/**
 * Reads the first line of standard input: the keys. They come this way because a command line and an environment can be
 * read by other programs. What follows the line is not read. Throws UsageError.
 */
export async function readServiceInput(input: NodeJS.ReadStream): Promise<ServiceInput> {
  if (input.isTTY) {
    throw new UsageError('The keys are expected as one line of JSON on standard input, which is a terminal.');
  }
  const line = await firstLine(input);
  try {
    return serviceInputSchema.parse(JSON.parse(line));
  } catch {
    // Not the parser's own words: they may quote a key.
    throw new UsageError('The first line of standard input is not the JSON that is expected. See --help.');
  }
}

function firstLine(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (error?: string): void => {
      clearTimeout(limit);
      input.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      // A later error of a pipe that nobody reads must not end the service.
      input.on('error', () => undefined);
      input.destroy();
      if (error === undefined) {
        resolve(text.split('\n', 1)[0] ?? '');
      } else {
        reject(new UsageError(error));
      }
    };
    const missing = 'No line came on standard input; the keys are expected there. See --help.';
    const limit = setTimeout(() => finish(missing), PATIENCE_MS);
    input.setEncoding('utf8');
    input.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) {
        finish();
      } else if (text.length > MAX_LINE_BYTES) {
        finish('The first line of standard input is too long.');
      }
    });
    input.on('end', () => finish(text.trim() === '' ? missing : undefined));
    input.on('error', () => finish(missing));
  });
}
