import { addAbortSignal } from 'node:stream';
import { type ServiceInput, serviceInputSchema } from '../protocol/localService';
import { UsageError } from './options';

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

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  let text = '';
  // A later error of the unread pipe must not crash the service.
  input.setEncoding('utf8').on('error', () => undefined);
  try {
    for await (const chunk of addAbortSignal(AbortSignal.timeout(PATIENCE_MS), input)) {
      text += String(chunk);
      if (text.includes('\n')) {
        break;
      }
    }
  } catch {
    text = '';
  }
  if (text.trim() === '') {
    throw new UsageError('No line came on standard input; the keys are expected there. See --help.');
  }
  return text.split('\n', 1)[0] ?? '';
}
