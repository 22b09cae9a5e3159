// Limits on what comes from outside, each with its reason. Text is bounded once, where it enters the process; inner code
// trusts the type.

/** Bytes of a request or response body. Prompts and answers stay far below; the hosted service documents no limit. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Bytes of a Git host's response: a list of pull requests repeats both repositories in each. */
export const MAX_FORGE_BODY_BYTES = 4 * 1024 * 1024;
/** Bytes of a stream that wait to be read: undici can't be paused, it would throw if the connection is lost then. */
export const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Characters of one server-sent event: a message of an agent has up to 16,000, and JSON may write each as six. */
export const MAX_EVENT = 262_144;

/** Characters of a text that is kept from a field of an answer: more fits no label, notice, or record. */
export const MAX_FIELD = 2000;
/** Characters of an id that is put in a path: the API documents none, and servers take paths of a few thousand. */
export const MAX_ID = 512;

/** Milliseconds: a user waits no longer for a connection, the header, and the whole answer. */
export const CONNECT_MS = 10_000;
export const HEADERS_MS = 30_000;
export const REQUEST_MS = 60_000;
/** Milliseconds without a byte of a stream: services send a comment every 15 s. */
export const MAX_SILENCE_MS = 45_000;
/** Milliseconds of `Retry-After` that are honored: the hosted service's limits are per hour. */
export const MAX_RETRY_AFTER_MS = 3_600_000;
/** Milliseconds for an answer of a Git host, which the user waits for at the end of a run. */
export const FORGE_REQUEST_MS = 20_000;

/** Requests that a service handles at a time: a team's editors at once, and little enough memory for as many bodies. */
export const MAX_REQUESTS = 300;
/** Connections to a service: those of its requests, and as many that are idle or get 503. */
export const MAX_CONNECTIONS = 2 * MAX_REQUESTS;
/** Bytes of a request's header: the default of Node. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds until a connection must have sent a header: a silent one holds its place no longer. */
export const HEADER_PATIENCE_MS = 2_000;
/** Streams of job changes: one editor window listens for all others. */
export const MAX_LISTENERS = 4;

/** Entries and bytes of a job's activity log: a run of hours writes less, and shortening more would block the service. */
export const MAX_ACTIVITY = { rows: 2_000, bytes: 2_500_000 };
/** Characters of an agent's message, however many pieces it sends: so that it fits an event. */
export const MAX_MESSAGE = 16_000;

/** Characters of a path: the longest that any system allows is that of Windows. */
export const MAX_PATH = 32_767;
/** Characters of a line of code, and bytes of a file: larger ones are data, or written by a program. */
export const MAX_CODE_LINE = 2_000;
export const MAX_CODE_FILE = 1_000_000;
/** Characters of a name in code or documentation: people write shorter ones. */
export const MAX_NAME = 200;
/** Characters of a paragraph, a tag, or a code block of a page: people write shorter ones, and parsers take quadratic time. */
export const MAX_PARAGRAPH = 20_000;
/** Findings in a SARIF report: GitHub refuses more. */
export const MAX_SARIF_RESULTS = 25_000;

/** Milliseconds for an answer of PostgreSQL: the system waits a quarter of an hour for a machine that was lost. */
export const DATABASE_ANSWER_MS = 30_000;
/** Milliseconds for a question to git, ssh, or a credential helper: it blocks if a repository's configuration includes a pipe. */
export const READ_MS = 10_000;
/** Milliseconds for fetching a repository: enough for a large one over a slow connection. */
export const FETCH_REPOSITORY_MS = 30 * 60_000;
