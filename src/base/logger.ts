/** Receives all failures. Implementations must redact secrets before a line is written. */
export interface Logger {
  info(message: string): void;
  warn(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
}
