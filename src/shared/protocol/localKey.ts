/** The prefix of the local service's keys, so that one is recognised wherever it turns up. */
export const LOCAL_KEY_PREFIX = 'local_';

/** A key of the local service: 256 random bits in hexadecimal digits. */
export const LOCAL_KEY = /^local_[0-9a-f]{64}$/;
