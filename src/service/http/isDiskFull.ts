const SQLITE_FULL = 13;

/** Whether an error says that the disk, or the user's share of it, is full. The database has rolled back then. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: unknown; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode % 256 === SQLITE_FULL;
}
