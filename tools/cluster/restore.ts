import { services } from './kubernetes.ts';
import { owner, withPodOf, type Release } from './owner.ts';

const using = [...services, 'operator'].join(', ');

/**
 * docs/runbook.md, "A restore in a cluster": dumps the database, loses it, and restores it. `afterDump` changes what
 * the dump lacks, `start` starts the services again.
 * @throws if customers from before the dump are missing afterwards
 */
export async function loseAndRestore(
  release: Release,
  afterDump: () => Promise<void>,
  start: () => void,
): Promise<void> {
  const { cluster, name } = release;
  const { kubectl } = cluster;
  const customers = customersOf(release);
  runBackup(release, 'dump');
  await afterDump();
  for (const kind of ['ledger', 'checkpoints']) runBackup(release, kind);

  const users = `app.kubernetes.io/instance=${name},app.kubernetes.io/component in (${using})`;
  kubectl(['scale', 'deployment,statefulset', '--replicas=0', '-l', users]);
  kubectl(['wait', '--for=delete', 'pod', '-l', users, '--timeout=3m']);
  const cronJobs = kubectl(['get', 'cronjob', '-l', `app.kubernetes.io/instance=${name}`, '-o', 'name']);
  const suspend = (isSuspended: boolean): void => {
    for (const cronJob of cronJobs.trim().split('\n'))
      kubectl(['patch', cronJob, '--type', 'merge', '-p', JSON.stringify({ spec: { suspend: isSuspended } })]);
  };
  suspend(true);
  psql(release, 'postgres', 'DROP DATABASE holdfast WITH (FORCE)', 'CREATE DATABASE holdfast');

  await withPodOf(release, `${name}-restore`, async () => {
    await withPodOf(release, `${name}-owner`, async () => {
      owner(release, 'database', 'setup', '--kubernetes-secret', name);
      for (const step of [['start'], ['finish', '--anyway']])
        owner(release, 'secrets', 'rotate', ...step, 'AUDIT_SIGNING_KEYS', '--kubernetes-secret', name);
    });
    const inPod = (container: string, ...command: string[]): string =>
      kubectl(['exec', `deploy/${name}-restore`, '-c', container, '--', ...command]);
    const dump = inPod('postgresql', 'ls', '/backup')
      .split('\n')
      .findLast((folder) => /^dump-\d+T\d+$/.test(folder));
    if (!dump) throw new Error('The volume of the backups has no dump.');
    const options = '--jobs 4 --clean --if-exists --exit-on-error';
    inPod('postgresql', 'bash', '-c', `pg_restore --dbname "$DATABASE_URL" ${options} /backup/${dump}`);
    inPod('cli', 'node', 'service/main.js', 'restore', '--ledger', '/backup/erased.csv');
    const replicas = inPod('cli', 'node', '-p', `fs.readdirSync('/checkpoints').join(' ')`).trim().split(' ');
    const folders = [...replicas.map((replica) => `/checkpoints/${replica}`), '/backup/checkpoints'];
    const checkpoints = folders.flatMap((folder) => ['--checkpoints', folder]);
    inPod('cli', 'node', 'service/main.js', 'audit', 'sign-again', '--all', ...checkpoints);
    const all = replicasOf(release);
    for (const replica of all.filter((one) => !replicas.includes(one))) {
      const others = all.filter((one) => one !== replica);
      mountCheckpoints(release, replica, others);
      inPod(
        'cli',
        'node',
        'service/main.js',
        'audit',
        'sign-again',
        '--all',
        '--checkpoints',
        `/checkpoints/${replica}`,
      );
    }
  });
  // `start` creates it again with the volumes that the chart names.
  kubectl(['delete', `deployment/${name}-restore`]);
  kubectl(['delete', 'job', '-l', 'app.kubernetes.io/component=setup']);
  start();
  suspend(false);
  const restored = customersOf(release);
  await untilHealthy(release);
  if (restored < customers) throw new Error(`${restored} of at least ${customers} customers were restored.`);
}

/** The replicas of audit, by their numbers: each has a volume for its checkpoints. */
function replicasOf({ cluster, name }: Release): string[] {
  const claims = cluster.kubectl(['get', 'pvc', '-o', 'jsonpath={.items[*].metadata.name}']).trim().split(' ');
  const prefix = `checkpoints-${name}-audit-`;
  return claims.filter((claim) => claim.startsWith(prefix)).map((claim) => claim.slice(prefix.length));
}

/** Of one replica, whose volume is on another node than that of the backups: the pod moves there. */
function mountCheckpoints({ cluster, name }: Release, replica: string, others: string[]): void {
  const volume = `checkpoints-${replica}`;
  const removed = ['backup', ...others.map((one) => `checkpoints-${one}`)].map((one) => ({
    name: one,
    $patch: 'delete',
  }));
  const unmounted = ['/backup', ...others.map((one) => `/checkpoints/${one}`)].map((mountPath) => ({
    mountPath,
    $patch: 'delete',
  }));
  const claimName = `checkpoints-${name}-audit-${replica}`;
  const spec = {
    volumes: [...removed, { name: volume, persistentVolumeClaim: { claimName } }],
    containers: [
      { name: 'postgresql', volumeMounts: [{ mountPath: '/backup', $patch: 'delete' }] },
      { name: 'cli', volumeMounts: [...unmounted, { mountPath: `/checkpoints/${replica}`, name: volume }] },
    ],
  };
  const deployment = `deployment/${name}-restore`;
  cluster.kubectl(['patch', deployment, '-p', JSON.stringify({ spec: { template: { spec } } })]);
  cluster.kubectl(['rollout', 'status', deployment, '--timeout=3m']);
}

/** Runs a CronJob at once. */
function runBackup({ cluster, name }: Release, kind: string): void {
  const job = `${name}-check-${kind}-${Date.now()}`;
  cluster.kubectl(['create', 'job', job, `--from=cronjob/${name}-backup-${kind}`]);
  cluster.kubectl(['wait', '--for=condition=complete', `job/${job}`, '--timeout=300s']);
}

/** `doctor` exits with 1 if a log is broken, and in a second in which a service that has just started is late. */
async function untilHealthy({ cluster, name }: Release): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      return void cluster.kubectl(['exec', `deploy/${name}-cli`, '--', 'node', 'service/main.js', 'doctor']);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5000));
    }
  }
}

/** Rows of erased customers stay as hashes, so the number of customers only grows. */
function customersOf(release: Release): number {
  return Number(psql(release, 'holdfast', 'SELECT count(*) FROM subjects.subject'));
}

function psql({ cluster, name }: Release, database: string, ...statements: string[]): string {
  const commands = statements.flatMap((statement) => ['-c', statement]);
  return cluster.kubectl([
    'exec',
    `${name}-postgresql-0`,
    '-c',
    'postgresql',
    '--',
    'psql',
    '-U',
    'postgres',
    '-d',
    database,
    '-v',
    'ON_ERROR_STOP=1',
    '-tA',
    ...commands,
  ]);
}
