import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { readLogo } from './logo.js';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A picture whose pixels repeat, unless `noise`. */
function picture(width: number, height: number, noise = false): Buffer {
  const image = new PNG({ width, height });
  let state = 1;
  image.data.forEach((_, i) => {
    state = (state * 48271) % 2147483647;
    image.data[i] = noise ? state & 255 : 255 - (i % 4);
  });
  return PNG.sync.write(image);
}

const read = (file: Buffer) => readLogo(file.toString('base64'));
const detailOf = (file: Buffer): string => {
  try {
    read(file);
  } catch (error) {
    return JSON.stringify((error as { details?: unknown }).details ?? error) + String((error as Error).message);
  }
  return 'accepted';
};

describe('a logo', () => {
  test('keeps its pixels, and loses texts and profiles', () => {
    const file = picture(40, 30);
    const end = file.length - 12;
    const secret = chunk('tEXt', Buffer.from('Comment\0<script>secret</script>'));
    const { id, png } = read(Buffer.concat([file.subarray(0, end), secret, file.subarray(end)]));
    expect(png.includes('secret')).toBe(false);
    expect(PNG.sync.read(png).data.equals(PNG.sync.read(file).data)).toBe(true);
    expect(read(file)).toEqual({ id, png });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('of a size that is not allowed is refused before its pixels are read', () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(60_000, 0);
    header.writeUInt32BE(60_000, 4);
    header.set([8, 6, 0, 0, 0], 8);
    const bomb = Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    expect(detailOf(bomb)).toContain('60000 × 60000 pixels');
    expect(detailOf(picture(1025, 1))).toContain('1025 × 1 pixels');
    expect(detailOf(picture(1024, 1))).toBe('accepted');
  });

  test('with more data than pixels is refused or cut, and takes no more memory than its size allows', () => {
    const file = picture(8, 8);
    const data = chunk('IDAT', deflateSync(Buffer.alloc(50_000_000)));
    const bomb = Buffer.concat([file.subarray(0, 33), data, chunk('IEND', Buffer.alloc(0))]);
    const before = process.memoryUsage().arrayBuffers;
    expect(['accepted', expect.stringContaining('damaged')]).toContainEqual(detailOf(bomb));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  test('of other forms, damaged or too large is refused with the reason', () => {
    expect(detailOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toContain('is not a PNG image');
    expect(detailOf(Buffer.alloc(0))).toContain('is not a PNG image');
    expect(detailOf(Buffer.concat([picture(8, 8), Buffer.from('<html>')]))).toContain('damaged');
    expect(detailOf(Buffer.alloc(70_000))).toContain('70000 bytes');
    expect(detailOf(picture(40, 30).subarray(0, 60))).toContain('damaged');
    expect(detailOf(picture(200, 200, true))).toContain('bytes');
  });

  test('with any byte changed is refused as invalid or decoded, and never fails otherwise', () => {
    const file = picture(16, 16);
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(file);
        changed[at] = changed[at]! ^ by;
        expect(detailOf(changed)).toMatch(/^accepted$|invalid_request|PNG image|pixels|bytes/);
      }),
    );
  });
});
