import { crc32 } from 'node:zlib';

/** A PNG picture, and for how long it is shown, in milliseconds. */
export interface Frame {
  png: Buffer;
  ms: number;
}

interface Chunk {
  type: string;
  data: Buffer;
}

const SIGNATURE_BYTES = 8;

/**
 * Joins pictures of the same size to an animated PNG that loops (PNG specification, third edition,
 * sections 11.3.6 and 12.6). Browsers that don't know the format show the first picture.
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) {
    throw new Error('an animation needs a picture');
  }
  const head = dataOf(first.png, 'IHDR')[0] ?? Buffer.alloc(0);
  let sequence = 0;
  const next = (): Buffer => numbers([sequence++]);
  const parts = frames.flatMap(({ png, ms }, index) => {
    // Width, height and position, then delay in milliseconds, and: replace what was there.
    const place = Buffer.concat([head.subarray(0, 8), numbers([0, 0]), Buffer.from([ms >> 8, ms & 255, 3, 232, 0, 0])]);
    const control = chunk('fcTL', Buffer.concat([next(), place]));
    const images = dataOf(png, 'IDAT');
    return [
      control,
      ...images.map((data) => (index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([next(), data])))),
    ];
  });
  return Buffer.concat([
    first.png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', head),
    chunk('acTL', numbers([frames.length, 0])),
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function dataOf(png: Buffer, type: string): Buffer[] {
  return chunksOf(png).flatMap((each) => (each.type === type ? [each.data] : []));
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers([data.length]), named, numbers([crc32(named)])]);
}

/** Unsigned numbers of four bytes. */
function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
