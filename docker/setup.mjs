// The setup job creates roles and grants, every service's tables and the streams of the bus. Each step is idempotent.
// The image has no shell.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const migrations = readdirSync('/app/apps')
  .sort()
  .map((service) => `apps/${service}/dist/migrate.js`)
  .filter((file) => existsSync(`/app/${file}`));
const steps = [
  ['service/main.js', 'database', 'setup'],
  ...migrations.map((file) => [file]),
  ['service/main.js', 'bus', 'declare'],
];
for (const step of steps) {
  const { status, error } = spawnSync(process.execPath, step, { cwd: '/app', stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
