/**
 * Reads the output of `git cat-file --batch`: for each object `ID TYPE SIZE`, a line end, its content, and a line end;
 * `… missing` for one that doesn't exist, `… ambiguous` for a short id of several.
 */
export async function* readBatch(
  chunks: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array | undefined, void> {
  const reader = new ByteReader(chunks[Symbol.asyncIterator]());
  try {
    for (let index = 0; index < count; index++) {
      const header = await reader.line();
      if (header === undefined) {
        throw new Error('git ended before it printed all files');
      }
      const size = /^[0-9a-f]{40,64} \w+ (\d+)$/.exec(header)?.[1];
      if (size === undefined) {
        yield undefined;
      } else {
        const content = await reader.bytes(Number(size));
        await reader.bytes(1);
        yield content;
      }
    }
  } finally {
    await reader.end();
  }
}

class ByteReader {
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffer.indexOf(10, this.at);
      if (end !== -1) {
        const line = this.buffer.toString('utf8', this.at, end);
        this.at = end + 1;
        return line;
      }
      if (!(await this.more())) {
        return undefined;
      }
    }
  }

  async bytes(count: number): Promise<Uint8Array> {
    if (this.buffer.length - this.at < count) {
      const parts: Uint8Array[] = [this.buffer.subarray(this.at)];
      let length = this.buffer.length - this.at;
      while (length < count) {
        const next = await this.chunks.next();
        if (next.done === true) {
          throw new Error('git ended within a file');
        }
        parts.push(next.value);
        length += next.value.length;
      }
      this.buffer = Buffer.concat(parts, length);
      this.at = 0;
    }
    const content = this.buffer.subarray(this.at, this.at + count);
    this.at += count;
    return content;
  }

  private async more(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) {
      return false;
    }
    this.buffer = Buffer.concat([this.buffer.subarray(this.at), next.value]);
    this.at = 0;
    return true;
  }

  async end(): Promise<void> {
    await this.chunks.return?.();
  }
}
