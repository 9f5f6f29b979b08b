import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import { maxLogoBytes, maxLogoPixels } from '@holdfast/contracts';
import { unprocessable } from '@holdfast/platform';

/** A PNG image that this service has encoded, under an id that its content gives. */
export interface Logo {
  id: string;
  png: Buffer;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** From the start of the file to the end of its first chunk, which has the size of the image (PNG §11.2.1). */
const headerBytes = 33;

/**
 * Decodes a PNG image, and encodes its pixels anew: text, profiles, and whatever else the file has besides them is gone
 * (docs/adr/0084-branding.md). The size is read before anything is decompressed, so that a small file cannot fill the
 * memory.
 * @throws invalid_request when it is not a PNG image within the limits
 */
export function readLogo(base64: string): Logo {
  const file = Buffer.from(base64, 'base64');
  if (file.length > maxLogoBytes) throw refused(`has ${file.length} bytes; at most ${maxLogoBytes} are allowed`);
  if (file.length < headerBytes || !file.subarray(0, 8).equals(signature) || file.toString('latin1', 12, 16) !== 'IHDR')
    throw refused('is not a PNG image');
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (width < 1 || height < 1 || width > maxLogoPixels || height > maxLogoPixels)
    throw refused(`has ${width} × ${height} pixels; at most ${maxLogoPixels} × ${maxLogoPixels} are allowed`);
  const png = encodeAnew(file);
  if (png.length > maxLogoBytes)
    throw refused(`has ${png.length} bytes when its pixels are encoded; at most ${maxLogoBytes} are allowed`);
  return { id: createHash('sha256').update(png).digest('hex').slice(0, 32), png };
}

function encodeAnew(file: Buffer): Buffer {
  try {
    const { width, height, data } = PNG.sync.read(file);
    const image = new PNG({ width, height });
    data.copy(image.data);
    return PNG.sync.write(image, { deflateLevel: 9 });
  } catch {
    throw refused('is a damaged PNG image');
  }
}

function refused(detail: string): Error {
  return unprocessable([{ pointer: '#/logo', detail }]);
}
