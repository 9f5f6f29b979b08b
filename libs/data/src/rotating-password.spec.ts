import { expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { RotatingPassword } from './rotating-password.js';

const address = 'postgresql://audit@localhost/holdfast';

/** A pool that opens a connection only while it has none, and the passwords that PostgreSQL accepts. */
function poolWith(files: Record<string, string>, accepted: Set<string>) {
  const reads: string[] = [];
  const read = (file: string): string => {
    reads.push(file);
    if (files[file] === undefined) throw new Error('ENOENT');
    return files[file];
  };
  const options = { connectionString: address };
  const presented: string[] = [];
  let open = 0;
  const pool = {
    options,
    connect: async () => {
      const { password } = open === 0 ? new URL(options.connectionString) : { password: undefined };
      if (password !== undefined) presented.push(password);
      await Promise.resolve();
      if (password !== undefined && !accepted.has(password))
        throw Object.assign(new Error('refused'), { code: '28P01' });
      open += 1;
      return { release: () => undefined };
    },
  };
  new RotatingPassword(address, '/password', read).provideTo(pool as unknown as Pool);
  return { pool, reads, presented };
}

it('reads the file for a new connection, and not for a statement on an open one', async () => {
  const { pool, reads } = poolWith({ '/password': 'first' }, new Set(['first']));
  await pool.connect();
  expect(reads).toEqual(['/password']);
  for (let i = 0; i < 100; i += 1) await pool.connect();
  expect(reads).toEqual(['/password']);
});

it('changes to the previous password once when ten connections are refused at the same time', async () => {
  const { pool } = poolWith({ '/password': 'second', '/password_PREVIOUS': 'first' }, new Set(['first']));
  const connections = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
  expect(connections).toHaveLength(10);
});

it('uses a password that the file has since the refused attempt, without changing to the previous one', async () => {
  const files: Record<string, string> = { '/password': 'first', '/password_PREVIOUS': 'older' };
  const { pool, presented } = poolWith(files, new Set(['second']));
  const connected = pool.connect();
  files['/password'] = 'second';
  await connected;
  expect(presented).toEqual(['first', 'second']);
});

it('is refused when PostgreSQL accepts neither password', async () => {
  const { pool } = poolWith({ '/password': 'second', '/password_PREVIOUS': 'first' }, new Set());
  await expect(pool.connect()).rejects.toThrow('refused');
});
