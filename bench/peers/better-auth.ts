import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { basicAuthorization, clientCredentials, scopes, type Peer } from './peer.ts';

const version = '1.7.5';
const packages = [`better-auth@${version}`, `@better-auth/oauth-provider@${version}`, 'pg@8'];
const server = 'better-auth-server.mjs';

/**
 * Installs better-auth into `folder` with npm, and starts it. Its versions are its own, so it is no dependency of this
 * repository.
 * @throws Error when npm cannot install it
 */
export async function startBetterAuth(folder: string, databaseUrl: string, port: number): Promise<Peer> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  // Its packages name further optional peers, which npm would install as well.
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', ...packages];
  await promisify(execFile)('npm', args, { cwd: folder });
  copyFileSync(join(import.meta.dirname, server), join(folder, server));
  const child = fork(join(folder, server), [databaseUrl, String(port), scopes], {
    cwd: folder,
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('better-auth ended while it started.');
  });
  ended.catch(() => undefined);
  const [client] = (await Promise.race([once(child, 'message'), ended])) as [
    { clientId: string; clientSecret: string; resource: string },
  ];
  const authorization = basicAuthorization(client.clientId, client.clientSecret);
  return {
    name: 'better-auth, PostgreSQL',
    version,
    url: `http://127.0.0.1:${port}`,
    tokenRequest: clientCredentials('/api/auth/oauth2/token', authorization, { resource: client.resource }),
    pid: child.pid!,
    end: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
