import { type ServiceInput, serviceInputSchema } from '../protocol/localService';
import { UsageError } from './options';

const MAX_LINE_BYTES = 64 * 1024;
const PATIENCE_MS = 10_000;

/**
 * Reads the keys from the first line of standard input. They are passed this way because other programs can read the
 * command line and the environment. Ignores everything after that line. Throws UsageError.
 */
export async function readServiceInput(input: NodeJS.ReadStream): Promise<ServiceInput> {
  if (input.isTTY) {
    throw new UsageError('The keys must be one line of JSON on standard input, but standard input is a terminal.');
  }
  const line = await firstLine(input);
  try {
    return serviceInputSchema.parse(JSON.parse(line));
  } catch {
    // Don't show the parser's message: it may quote a key.
    throw new UsageError('The first line of standard input isn’t the expected JSON. See --help.');
  }
}

function firstLine(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (error?: string): void => {
      clearTimeout(limit);
      input.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      // A later error of the unread pipe must not crash the service.
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
