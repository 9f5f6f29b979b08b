// Writes the files that docker/compose.yaml needs: secrets, one environment file per container, and the configuration
// of nats-server. It may be run again: existing secrets are kept.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseServices, serviceNames, services, type ServiceName } from '@holdfast/contracts';
import { auditReaders, databasePasswordName, natsConfig, nkeySeedName, publicKeys } from '@holdfast/platform-policy';
import { displayPath, print } from '../infra/console.ts';
import { writeWhole } from '../infra/files.ts';
import type { Instance } from '../launcher/instances.ts';
import { plainAddress } from '../launcher/public-address.ts';
import { loadSecrets } from '../launcher/secrets.ts';
import { serviceEnv } from '../launcher/service-env.ts';
import { home } from '../setup/paths.mjs';

const folder = join(home, 'docker');
mkdirSync(folder, { recursive: true, mode: 0o700 });
const secrets = loadSecrets(join(folder, 'secrets.json'));
const baseUrl = `http://localhost:${process.env.PORT || 8080}`;
const natsUrl = 'nats://nats:4222';
const databaseUrl = `postgresql://postgres:${secrets.POSTGRES_PASSWORD}@postgres:5432/holdfast`;
const instances = serviceNames.map(container);

for (const instance of instances) {
  const env = serviceEnv(
    instance,
    instances,
    { public: plainAddress(baseUrl), natsUrl, databaseUrl, checkpointDir: '/checkpoints', shopOrigins: [] },
    secrets,
    {},
    new Set(),
  );
  const listen = instance.httpPort ? { HTTP_HOST: '0.0.0.0' } : {};
  write(instance.service, { ...env, OPS_HOST: '0.0.0.0', ...listen });
}
const passwords: NodeJS.ProcessEnv = Object.fromEntries(
  databaseServices.map(databasePasswordName).map((name) => [name, secrets[name]]),
);
write('postgres', { POSTGRES_PASSWORD: secrets.POSTGRES_PASSWORD, POSTGRES_DB: 'holdfast' });
write('setup', {
  DATABASE_URL: databaseUrl,
  NATS_URL: natsUrl,
  NATS_NKEY_SEED: secrets[nkeySeedName('deploy')],
  ...passwords,
});
write('operator', { BASE_URL: baseUrl, NATS_URL: natsUrl, NATS_NKEY_SEED: secrets[nkeySeedName('operator')] });
// Contains public keys only, and the container's user must be able to read it.
writeFileSync(
  join(folder, 'nats.conf'),
  natsConfig({
    publicKeys: publicKeys(secrets),
    readers: auditReaders(secrets),
    host: '0.0.0.0',
    port: 4222,
    storeDir: '/data',
  }),
  { mode: 0o644 },
);
print(`Wrote secrets and settings to ${displayPath(folder)}. Next: docker compose -f docker/compose.yaml up --build`);

/** Every container has its own address, so all may use the same ports. */
function container(service: ServiceName): Instance {
  return {
    service,
    replica: 1,
    name: service,
    host: service,
    opsPort: 9090,
    readyUrl: '',
    ...(services[service].http ? { httpPort: 8080 } : {}),
  };
}

function write(name: string, env: NodeJS.ProcessEnv): void {
  writeWhole(
    join(folder, `${name}.env`),
    Object.entries(env)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
}
