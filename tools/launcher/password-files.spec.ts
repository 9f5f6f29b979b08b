import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { missingSecrets } from '@holdfast/platform-policy';
import { passwordFileEnv } from './password-files.ts';

test('has the earlier password beside the current one during a rotation only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-passwords-'));
  const write = (secrets: Record<string, string>): string =>
    passwordFileEnv(join(folder, 'new'), 'auth', { ...missingSecrets({}), ...secrets }).DATABASE_PASSWORD_FILE!;
  const file = write({ DB_PASSWORD_AUTH: 'first' });
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['first', 0o600]);
  write({ DB_PASSWORD_AUTH: 'second', DB_PASSWORD_AUTH_PREVIOUS: 'first' });
  expect([file, `${file}_PREVIOUS`].map((path) => readFileSync(path, 'utf8'))).toEqual(['second', 'first']);
  write({ DB_PASSWORD_AUTH: 'second' });
  expect(existsSync(`${file}_PREVIOUS`)).toBe(false);
  rmSync(folder, { recursive: true });
});
