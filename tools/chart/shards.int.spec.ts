// The chart with shards besides `main` (docs/adr/0055-shards-in-the-chart.md). The general rules hold for the values
// `shards` as well: chart.int.spec.ts.
import { beforeAll, expect, test } from '@jest/globals';
import { serviceNames, shardedServices } from '@holdfast/contracts';
import { installHelm, label, parse, render, type Rendered } from './helm.ts';
import { podOf, podProblems } from './pod-policies.ts';
import { KubernetesSchemas } from './schemas.ts';

let rendered: Rendered[];
const named = (kind: string, name: string) => rendered.find((m) => m.kind === kind && m.metadata.name === name)!;

beforeAll(async () => {
  await installHelm();
  rendered = parse(await render('shards'));
});

const envOf = (kind: string, name: string): Record<string, unknown> => {
  const { env = [] } = podOf(named(kind, name))!.containers[0]!;
  return Object.fromEntries(env.map((one) => [one.name, one.value ?? one.valueFrom?.secretKeyRef]));
};
const nats = (prefix: string) => [0, 1, 2].map((i) => `tls://${prefix}-nats-${i}:4222`).join(',');

test('a service of a shard knows its shard, and one that exists once has the NATS of all', () => {
  for (const service of ['gateway', 'auth', 'directory', 'cli'])
    expect(envOf('Deployment', `holdfast-${service}`)).toMatchObject({ SHARDS: `eu2=${nats('holdfast-eu2')}` });
  for (const [prefix, shard] of [
    ['holdfast', 'main'],
    ['holdfast-eu2', 'eu2'],
  ] as const)
    for (const service of shardedServices) {
      const env = envOf(service === 'audit' ? 'StatefulSet' : 'Deployment', `${prefix}-${service}`);
      expect(env).toMatchObject({ SHARD: shard, NATS_URL: nats(prefix) });
      expect(env).not.toHaveProperty('SHARDS');
    }
});

test('the services that exist once are rendered once', () => {
  const services = rendered.filter((m) => podOf(m) && (serviceNames as string[]).includes(label(m, 'component')!));
  const further = services.filter((m) => label(m, 'instance') === 'holdfast-eu2').map((m) => label(m, 'component')!);
  expect(further.sort()).toEqual([...shardedServices].sort());
  expect(services).toHaveLength(serviceNames.length + shardedServices.length);
});

test('a shard has NKeys and database passwords of its own, and all other secrets of the deployment', () => {
  expect(envOf('Deployment', 'holdfast-eu2-issuance')).toMatchObject({
    NATS_NKEY_SEED: { name: 'holdfast-eu2', key: 'NATS_NKEY_SEED_ISSUANCE' },
    SECRET_PEPPER: { name: 'holdfast', key: 'SECRET_PEPPER' },
  });
  const { containers, initContainers = [] } = podOf(named('Job', 'holdfast-secrets'))!;
  const args = [...initContainers, ...containers].map((container) => container.args?.join(' '));
  expect(args).toContain('secrets create --kubernetes-secret holdfast-eu2 --shard');
  expect(args).toContain(
    'bus users --kubernetes-secret holdfast --shard holdfast-eu2 --config-map holdfast-eu2-nats-users',
  );
});

test('no pod of a shard has an address, a Secret of an owner or a claim of another one', () => {
  const pods = (instance: string) =>
    JSON.stringify(
      rendered.filter(
        (m) => label(m, 'instance') === instance && podOf(m) && label(m, 'component') !== 'organization-move',
      ),
    );
  expect(pods('holdfast')).not.toMatch(/eu2\.example|eu2-owner/);
  expect(pods('holdfast-eu2')).not.toMatch(/"[^"]*db\.example|"database-owner"|holdfast-nats/);
});

test('auth waits for issuance of all shards, and audit of each shard for directory', () => {
  const orders = (kind: string, name: string) =>
    (podOf(named(kind, name))!.initContainers ?? [])
      .filter((container) => container.name.startsWith('order'))
      .map((container) => container.command![2]);
  expect(orders('Deployment', 'holdfast-auth')).toEqual(['holdfast-eu2-issuance-all', 'holdfast-issuance-all']);
  expect(orders('StatefulSet', 'holdfast-eu2-audit')).toEqual(['holdfast-directory-all']);
  expect(orders('Deployment', 'holdfast-eu2-issuance')).toEqual(['holdfast-eu2-signals-all']);
});

test('values of a shard override those of main, and others are the same', () => {
  expect(named('Deployment', 'holdfast-eu2-subjects').spec).toMatchObject({ replicas: 4 });
  expect(named('Deployment', 'holdfast-subjects').spec).toMatchObject({ replicas: 2 });
  const kinds = ['HorizontalPodAutoscaler', 'PodDisruptionBudget'];
  for (const kind of kinds) expect(named(kind, 'holdfast-eu2-audit')).toBeDefined();
  expect(JSON.stringify(named('PodMonitor', 'holdfast-eu2').spec)).toContain('"replacement":"eu2"');
  expect(JSON.stringify(named('CronJob', 'holdfast-eu2-backup-ledger').spec)).toContain('"subPath":"eu2"');
});

test('only the pod for moves, which does not run, has the owners of all databases', () => {
  const move = named('Deployment', 'holdfast-organization-move');
  expect(move.spec).toMatchObject({ replicas: 0 });
  expect(envOf('Deployment', 'holdfast-organization-move')).toMatchObject({
    SHARD_DATABASE_URLS: 'main=$(DATABASE_URL_MAIN);eu2=$(DATABASE_URL_EU2);eu2.audit=$(DATABASE_URL_EU2_AUDIT)',
    DATABASE_URL_EU2_AUDIT: { name: 'eu2-audit-owner', key: 'DATABASE_URL' },
  });
  const policy = JSON.stringify(named('NetworkPolicy', 'holdfast-organization-move').spec);
  for (const part of ['"port":5432', '"port":5433', '"holdfast-eu2"']) expect(policy).toContain(part);
});

test('the NATS of a shard admits its services and those that exist once, and none of another shard', () => {
  const { ingress } = named('NetworkPolicy', 'holdfast-eu2-nats').spec as {
    ingress: {
      from: { podSelector: { matchLabels: Record<string, string>; matchExpressions: { values: string[] }[] } }[];
    }[];
  };
  const admitted = ingress[0]!.from.map(({ podSelector }) => [
    Object.values(podSelector.matchLabels)[1],
    podSelector.matchExpressions[0]!.values.sort(),
  ]);
  expect(admitted).toEqual([
    ['holdfast-eu2', ['audit', 'issuance', 'operator', 'owner', 'setup', 'signals', 'subjects']],
    ['holdfast', ['auth', 'directory', 'gateway', 'operator', 'organization-move', 'owner']],
  ]);
});

test.each(['bundled', 'cloudnativepg'])('values %s render what Kubernetes accepts', async (set) => {
  const several = parse(await render(set, '--set', 'shards[0].name=eu2', '--set', 'shards[1].name=eu3'));
  const schemas = new KubernetesSchemas('v1.37');
  expect(several.flatMap((manifest) => schemas.problems(manifest))).toEqual([]);
  expect(several.flatMap(podProblems)).toEqual([]);
  const ids = several.map((m) => `${m.kind} ${m.metadata.name}`);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  expect(ids).toContain(set === 'bundled' ? 'StatefulSet holdfast-eu3-postgresql' : 'Cluster holdfast-eu3-postgresql');
});

test.each([
  ['shards[0].name=Eu_2', '"Eu_2" is no DNS label'],
  ['shards[0].name=eu2-', '"eu2-" is no DNS label'],
  ['shards[0].name=main', 'main, which is the first shard'],
  ['shards[1].name=eu2', 'shards names eu2 twice'],
  ['shards[0].name=a-name-of-thirty-one-characters', 'longer than 38 characters'],
  ['shards[0].postgresql.external.host=', 'shard eu2: postgresql.external has no host for issuance'],
  ['shards[0].postgresql.external.owner.existingSecret=', 'shard eu2: postgresql.mode is external'],
  ['shards[0].postgresql.external.host=db.example.com', 'main and eu2 have one database, db.example.com:5432/holdfast'],
  ['nats.mode=external,nats.external.urls=tls://n:4222', 'shard eu2: nats.mode is external'],
  [
    'nats.mode=external,nats.external.urls=tls://n:4222,shards[0].nats.external.urls=tls://n:4222',
    'main and eu2 have one NATS, tls://n:4222',
  ],
  ['secrets.mode=existing,secrets.existingSecret=all', 'shard eu2: secrets.mode is existing'],
  [
    'services.audit.checkpoints.existingClaim=all,shards[0].services.audit.checkpoints.existingClaim=all',
    'Audit of each shard needs a folder of its own',
  ],
  [
    'nats.bundled.replicas=1,nats.bundled.storage.existingClaim=a,shards[0].nats.bundled.storage.existingClaim=a',
    'nats of main and nats of eu2 have the claim a',
  ],
  ['shards[0].services.auth.replicas=1', 'auth'],
  ['shards[0].postgresql.mode=bundled', 'mode'],
])('%s is refused with what to do', async (setting, message) => {
  await expect(render('shards', '--set', setting)).rejects.toThrow(message);
});
