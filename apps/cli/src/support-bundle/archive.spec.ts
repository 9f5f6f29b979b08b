import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { archiveOf } from './archive.js';

test('tar unpacks the files of an archive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  const files = [
    { name: 'a.json', content: '{}\n' },
    { name: 'below/empty.txt', content: '' },
    { name: 'below/long.txt', content: 'ü'.repeat(512) },
    { name: `below/${'n'.repeat(120)}.txt`, content: 'a name that ustar alone cannot hold' },
  ];
  writeFileSync(join(folder, 'x.tar.gz'), await archiveOf('bundle', files, new Date('2026-11-23T00:00:00Z')));
  execFileSync('tar', ['-xzf', 'x.tar.gz'], { cwd: folder });
  for (const { name, content } of files) expect(readFileSync(join(folder, 'bundle', name), 'utf8')).toBe(content);
  const { mode, mtime } = statSync(join(folder, 'bundle', 'a.json'));
  expect([mode & 0o777, mtime.toISOString()]).toEqual([0o600, '2026-11-23T00:00:00.000Z']);
  rmSync(folder, { recursive: true });
});
