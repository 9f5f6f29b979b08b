import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

export interface ArchiveFile {
  name: string;
  content: string;
}

/** A gzipped tar archive of text files, which only their owner may read when they are unpacked. */
export async function archiveOf(folder: string, files: readonly ArchiveFile[], at: Date): Promise<Buffer> {
  const tar = await packTar(
    files.map(({ name, content }) => ({
      header: { name: `${folder}/${name}`, size: Buffer.byteLength(content), mode: 0o600, mtime: at },
      body: content,
    })),
  );
  return gzipSync(tar);
}
