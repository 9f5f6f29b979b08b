// Installs the chart in a namespace of its own, tests it, upgrades it, rolls it back, rotates keys and passwords,
// deletes an organization, drains nodes, evicts and kills each pod, and restores a lost database, while a client uses
// it. Prints the figures of each step, and fails if a planned step made a request fail.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../infra/console.ts';
import { disrupt, drain, nodesOf } from './disruptions.ts';
import { admit, kubernetes, podsOf, services, untilReady } from './kubernetes.ts';
import { startLoad, underLoad } from './load.ts';
import { deleteAndImport } from './organizations.ts';
import type { Release } from './owner.ts';
import { loseAndRestore } from './restore.ts';
import { rotateKey, rotateNatsUser, rotatePassword } from './rotations.ts';

const chart = 'k8s/holdfast';
const archiveClaim = 'archive';
const { values: options } = parseArgs({
  options: {
    'first-chart': { type: 'string', default: chart },
    'image-prefix': { type: 'string', default: 'holdfast' },
    tag: { type: 'string', default: '' },
    'next-tag': { type: 'string', default: '' },
    values: { type: 'string', default: '' },
    set: { type: 'string', multiple: true, default: [] },
    shard: { type: 'string', default: '' },
    namespace: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});
if (options.values && !existsSync(options.values)) throw new Error(`There is no file ${options.values}.`);

const cluster = kubernetes(options.namespace || `holdfast-check-${randomBytes(3).toString('hex')}`);
const { kubectl, helm, namespace } = cluster;
const release: Release = { cluster, name: 'holdfast' };
const settings = [
  ...['--set', 'baseUrl=http://localhost:8080'],
  ...['--set', 'postgresql.mode=bundled', '--set', 'nats.mode=bundled'],
  ...['--set', 'backup.dumpSchedule=30 2 * * *', '--set', 'backup.ledgerSchedule=*/5 * * * *'],
  ...['--set', 'backup.checkpointSchedule=7 * * * *'],
  ...(options.values ? ['--values', options.values] : []),
  ...(options.shard ? ['--set', `shards[0].name=${options.shard}`] : []),
  ...options.set.flatMap((value) => ['--set', value]),
  ...['--set', `image.prefix=${options['image-prefix']}`],
];
/** The chart of an earlier version may not know it. */
const archiveSetting = ['--set', `owner.archiveClaim=${archiveClaim}`];
const tagged = (tag: string): string[] => (tag ? ['--set-string', `image.tag=${tag}`] : []);
const wait = ['--wait', '--timeout', '20m'];
/** What `org purge` writes stays there when its pod ends. */
const archive = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: archiveClaim },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '256Mi' } } },
};

print(`Context ${kubectl(['config', 'current-context']).trim()}, namespace ${namespace}.`);
if (!options.namespace) kubectl(['create', 'namespace', namespace]);
try {
  if (!options.namespace) await install();
  const failed = await scenario();
  if (failed > 0) throw new Error(`${failed} requests failed in steps that must not be noticed.`);
  print('No request failed in steps that must not be noticed.');
} finally {
  if (options.keep || options.namespace) print(`The namespace ${namespace} stays.`);
  else kubectl(['delete', 'namespace', namespace, '--timeout=300s']);
}

async function install(): Promise<void> {
  for (const mode of ['enforce', 'warn'])
    kubectl(['label', 'namespace', namespace, `pod-security.kubernetes.io/${mode}=restricted`]);
  kubectl(['create', '-f', '-'], JSON.stringify(archive));
  const first = [
    release.name,
    options['first-chart'],
    ...settings,
    ...(options['first-chart'] === chart ? archiveSetting : []),
    ...tagged(options.tag),
  ];
  helm(['install', ...first, '--dry-run=server']);
  admit(cluster, helm(['template', ...first]));
  print('The API server accepts the manifests without a warning, with Pod Security "restricted" enforced.');
  await timed('install', () => helm(['install', ...first, ...wait]));
}

async function scenario(): Promise<number> {
  await timed('helm test', () => helm(['test', release.name, '--logs', '--timeout', '5m']));
  const image = JSON.parse(kubectl(['get', 'deploy', `${release.name}-cli`, '-o', 'json'])) as {
    spec: { template: { spec: { containers: [{ image: string }] } } };
  };
  await startLoad(cluster, release.name, image.spec.template.spec.containers[0].image);
  let failed = 0;
  for (const [step, act] of planned()) if (isChosen(step)) failed += await underLoad(cluster, step, act);
  for (const [step, act] of unplanned()) if (isChosen(step)) await underLoad(cluster, step, act);
  await timed('helm test', () => helm(['test', release.name, '--logs', '--timeout', '5m']));
  return failed;
}

type Step = [name: string, act: () => Promise<void>];

/** Steps that no caller may notice. */
function planned(): Step[] {
  const change = ['--set-string', `defaults.podAnnotations.cluster-check=${randomBytes(3).toString('hex')}`];
  const next = [...settings, ...archiveSetting, ...change, ...tagged(options['next-tag'] || options.tag)];
  return [
    ['nothing (10 s)', () => new Promise((resolve) => setTimeout(resolve, 10_000))],
    ['upgrade', () => ready(() => helm(['upgrade', release.name, chart, ...next, ...wait]))],
    ['rollback', () => ready(() => helm(['rollback', release.name, ...wait]))],
    ['upgrade that fails', () => ready(() => failAndRollBack(['upgrade', release.name, chart, ...next]))],
    ['rotation of a key', () => rotateKey(release, 'KEY_ENCRYPTION_KEY_AUTH', 'auth')],
    ['rotation of a password', () => rotatePassword(release, 'DB_PASSWORD_SUBJECTS', 'subjects')],
    ['rotation of a NATS user', () => rotateNatsUser(release, 'NATS_NKEY_SEED_SUBJECTS', 'subjects')],
    ['deletion and import', () => deleteAndImport(release)],
    ...(options.shard ? [movedAndDeleted(options.shard)] : []),
    ...services.map((name): Step => [`eviction of ${name}`, () => disrupt(cluster, name, 'evict')]),
    ...drains((isNoticed) => !isNoticed),
  ];
}

/** To a tag that no image has, so that the first hook fails; then back. */
function failAndRollBack(upgrade: string[]): void {
  let hasFailed = false;
  try {
    helm([...upgrade, '--set-string', 'image.tag=no-image-has-this-tag', '--wait', '--timeout', '30s']);
  } catch {
    hasFailed = true;
  }
  if (!hasFailed) throw new Error('An upgrade to images that do not exist has succeeded.');
  helm(['rollback', release.name, ...wait]);
}

function movedAndDeleted(shard: string): Step {
  return [`move to ${shard}, deletion and import`, () => deleteAndImport(release, shard)];
}

/** With one node its pods have no other place, and a server that exists once is away until it has started elsewhere. */
function drains(isChosenBy: (isNoticed: boolean) => boolean): Step[] {
  const nodes = nodesOf(cluster);
  const single = ['postgresql', 'nats'].map((name) => podsOf(cluster, name)).filter((pods) => pods.length === 1);
  const noticed = new Set(single.flat().map(({ spec }) => spec.nodeName));
  return nodes
    .filter((node) => nodes.length > 1 && isChosenBy(noticed.has(node)))
    .map((node): Step => [`drain of ${node}`, () => ready(() => drain(cluster, node))]);
}

/** Steps that callers notice: their figures say for how long. */
function unplanned(): Step[] {
  const kills = [...services, 'nats', 'postgresql'];
  const offersAfterDump = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5000));
  const upgrade = (): void => void helm(['upgrade', release.name, chart, '--reuse-values', ...wait]);
  return [
    ...drains((isNoticed) => isNoticed),
    ...kills.map((name): Step => [`kill of ${name}`, () => disrupt(cluster, name, 'kill')]),
    ['loss and restore', () => loseAndRestore(release, offersAfterDump, upgrade)],
  ];
}

/** `--only rotation,kill` runs the steps whose names begin so; without it all begin with the empty text. */
function isChosen(step: string): boolean {
  return options.only.split(',').some((name) => step.startsWith(name));
}

async function ready(act: () => unknown): Promise<void> {
  act();
  for (const service of services) await untilReady(cluster, service, podsOf(cluster, service).length);
}

async function timed(step: string, act: () => unknown): Promise<void> {
  const began = Date.now();
  await act();
  print(`${step.padEnd(28)} ${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s`);
}
