import { gzipSync } from 'node:zlib';

export interface ArchiveFile {
  name: string;
  content: string;
}

const blockBytes = 512;

/** A gzipped tar archive (POSIX ustar) of text files with names of at most 100 characters. */
export function archiveOf(folder: string, files: ArchiveFile[], at: Date): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const body = Buffer.from(content);
    const padding = Buffer.alloc((blockBytes - (body.length % blockBytes)) % blockBytes);
    return [header(`${folder}/${name}`, body.length, at), body, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

function header(name: string, size: number, at: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name of the file is too long: ${name}`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(at.getTime() / 1000), 12), 136);
  // The checksum is computed with spaces in its place.
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\0', 257);
  block.write('00', 263);
  block.write(
    octal(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    148,
  );
  return block;
}
