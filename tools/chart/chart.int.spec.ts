import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { serviceNames } from '@holdfast/contracts';
import { missingSecrets, natsUsersConfig, publicKeys, secretTable } from '@holdfast/platform-policy';
import { natsBinary } from '../infra/nats-binary.ts';
import { chart, helm, installHelm, label, parse, render, testing, valuesFile, type Rendered } from './helm.ts';
import { podOf, podProblems } from './pod-policies.ts';
import { KubernetesSchemas } from './schemas.ts';

const sets = readdirSync(join(testing, 'values')).map((file) => file.replace('.yaml', ''));
const versions = ['v1.30', 'v1.37'];
const manifests = new Map<string, Rendered[]>();
const of = (set: string) => manifests.get(set)!;
const named = (set: string, kind: string, name: string) =>
  of(set).find((m) => m.kind === kind && m.metadata.name === name)!;

beforeAll(async () => {
  await installHelm();
  for (const set of sets) manifests.set(set, parse(await render(set)));
});

describe.each(sets)('the chart with the values %s', (set) => {
  test('passes helm lint --strict', async () => {
    expect(await helm('lint', '--strict', chart, '--values', valuesFile(set))).toContain('0 chart(s) failed');
  });

  test.each(versions)('renders what Kubernetes %s accepts, without unknown members', (version) => {
    const schemas = new KubernetesSchemas(version);
    expect(of(set).flatMap((manifest) => schemas.problems(manifest))).toEqual([]);
  });

  test('renders pods without privileges, with limits, and with secrets from Secrets only', () => {
    expect(of(set).flatMap(podProblems)).toEqual([]);
  });

  test('has a network policy for every pod, and denies the rest', () => {
    const componentOf = (m: Rendered) => `${label(m, 'instance')} ${label(m, 'component') ?? m.metadata.name}`;
    const pods = of(set).filter((m) => podOf(m));
    const policies = of(set).filter((m) => m.kind === 'NetworkPolicy');
    const covered = policies.map(componentOf);
    expect([...new Set(pods.map(componentOf))].filter((name) => !covered.includes(name))).toEqual([]);
    const denied = policies.filter((m) => m.metadata.name.endsWith('-deny')).map((m) => label(m, 'instance'));
    expect(denied.sort()).toEqual([...new Set(pods.map((m) => label(m, 'instance')))].sort());
  });

  test('has a workload, two names of its replicas and a budget for each service', () => {
    for (const service of serviceNames) {
      const own = of(set).filter((m) => label(m, 'component') === service && label(m, 'instance') === 'holdfast');
      const kinds = own.map((m) => m.kind);
      expect(kinds.filter((kind) => kind === 'Deployment' || kind === 'StatefulSet')).toHaveLength(1);
      expect(kinds).toEqual(expect.arrayContaining(['Service', 'PodDisruptionBudget', 'ServiceAccount']));
    }
  });
});

test.each(['bundled', 'shards'])('the manifests of the values %s are those of the golden file', async (set) => {
  const golden = join(testing, 'golden', `${set}.yaml`);
  const rendered = await render(set);
  // UPDATE_GOLDEN=1 writes it, after a change that was meant.
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, rendered);
  expect(rendered).toBe(readFileSync(golden, 'utf8'));
});

test('an upgrade renders no secret, and the same as the installation', async () => {
  const [first, second] = await Promise.all([render('bundled'), render('bundled', '--is-upgrade')]);
  expect(second).toBe(first);
  expect(of('bundled').filter((m) => m.kind === 'Secret')).toEqual([]);
});

test('each service gets its secrets by the table, and no others', () => {
  for (const service of serviceNames) {
    const workload = of('bundled').find(
      (m) => podOf(m) && m.metadata.labels?.['app.kubernetes.io/component'] === service,
    )!;
    const text = JSON.stringify(podOf(workload));
    const has = secretTable.map(({ name }) => name).filter((name) => text.includes(`"${name}"`));
    const wanted = secretTable.filter((entry) => entry.services.includes(service)).map(({ name }) => name);
    expect([service, has.sort()]).toEqual([service, wanted.sort()]);
  }
});

test.each(['', 'jetstream-key'])(
  'nats-server accepts its configuration, with the Secret "%s" of a key',
  async (key) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-chart-'));
    const settings = `tls.mode=disabled,nats.bundled.replicas=3,nats.bundled.encryption.existingSecret=${key}`;
    const rendered = parse(await render('bundled', '--set', settings));
    const { data } = rendered.find((m) => m.kind === 'ConfigMap' && m.metadata.name === 'holdfast-nats-config')!;
    const config = (data as Record<string, string>)['nats.conf']!.replace('store_dir: /data', `store_dir: "${folder}"`);
    writeFileSync(join(folder, 'nats.conf'), config);
    writeFileSync(join(folder, 'users.conf'), JSON.stringify(natsUsersConfig(publicKeys(missingSecrets({})))));
    const routes = { authorization: { user: 'route', password: 'x', timeout: 10 }, routes: ['nats://route:x@a:6222'] };
    writeFileSync(join(folder, 'routes.conf'), JSON.stringify(routes));
    const checked = spawnSync(await natsBinary(), ['-t', '-c', join(folder, 'nats.conf')], {
      encoding: 'utf8',
      env: { POD_NAME: 'holdfast-nats-0', JETSTREAM_KEY: 'x'.repeat(32) },
    });
    expect([checked.status, checked.stderr]).toEqual([0, expect.stringContaining('configuration file')]);
  },
);

test('servers of NATS join by a password that no other pod has, and by the key of their certificate', async () => {
  const rendered = parse(await render('bundled', '--set', 'tls.mode=generated', '--set', 'nats.bundled.replicas=3'));
  const { data } = rendered.find((m) => m.kind === 'ConfigMap' && m.metadata.name === 'holdfast-nats-config')!;
  const config = (data as Record<string, string>)['nats.conf']!;
  expect(config).toContain('include ./routes.conf');
  expect(config).toContain('include ./pins.conf');
  expect(config).not.toContain('routes: [');
  const mounting = rendered.filter((m) => podOf(m) && JSON.stringify(podOf(m)!.volumes ?? []).includes('-nats-routes'));
  expect(mounting.map(({ metadata }) => metadata.name)).toEqual(['holdfast-nats']);
});

test('a digest beats the tag, and no image comes from elsewhere in an air-gapped cluster', () => {
  const images = of('air-gapped').flatMap((m) => {
    const pod = podOf(m);
    return pod ? [...(pod.initContainers ?? []), ...pod.containers].map(({ image }) => image) : [];
  });
  expect(images.length).toBeGreaterThan(20);
  for (const image of images) expect(image).toMatch(/^images\.internal\.example\.com\/.+@sha256:[0-9a-f]{64}$/);
});

test('the setup Job has another name when it changes, because a Job cannot be changed', async () => {
  const jobs = (rendered: Rendered[]) =>
    rendered.filter((m) => m.kind === 'Job' && /-setup-/.test(m.metadata.name)).map((m) => m.metadata.name);
  const changed = parse(await render('bundled', '--set', 'image.tag=9.9.9'));
  expect(jobs(of('bundled'))).toHaveLength(1);
  expect(jobs(changed)).not.toEqual(jobs(of('bundled')));
});

test('pods that change get another version label, and the Service of new pods selects it', async () => {
  const versions = (rendered: Rendered[]) =>
    Object.fromEntries(
      rendered.flatMap((m) => {
        const pod = (m.spec as { template?: { metadata?: { labels?: Record<string, string> } } } | undefined)?.template;
        const version = pod?.metadata?.labels?.['holdfast/version'];
        return version === undefined ? [] : [[label(m, 'component')!, version]];
      }),
    );
  const selected = (rendered: Rendered[]) =>
    Object.fromEntries(
      rendered
        .filter((m) => m.kind === 'Service' && m.metadata.name.endsWith('-new'))
        .map((m) => [label(m, 'component')!, (m.spec as { selector: Record<string, string> }).selector]),
    );
  const before = versions(of('bundled'));
  expect(Object.keys(before).sort()).toEqual([...serviceNames].sort());
  const changedBy = async (setting: string) => {
    const rendered = parse(await render('bundled', '--set', setting));
    const after = versions(rendered);
    for (const [service, selector] of Object.entries(selected(rendered)))
      expect(selector).toMatchObject({ 'holdfast/version': after[service] });
    return Object.keys(before).filter((service) => after[service] !== before[service]);
  };
  expect((await changedBy('image.tag=9.9.9')).sort()).toEqual([...serviceNames].sort());
  expect((await changedBy('defaults.podAnnotations.a=b')).sort()).toEqual([...serviceNames].sort());
  expect(await changedBy('services.audit.podAnnotations.a=b')).toEqual(['audit']);
  expect(await changedBy('services.audit.revisionHistoryLimit=4')).toEqual([]);
});

test('a service with an owner has a database of its own, and issuance reaches the watermarks of subjects', () => {
  const env = (kind: string, name: string | RegExp, container: string): Record<string, unknown> => {
    const found = of('external').find((m) => m.kind === kind && RegExp(name).test(m.metadata.name))!;
    const pod = podOf(found)!;
    const all = [...(pod.initContainers ?? []), ...pod.containers];
    const { env: variables = [] } = all.find((one) => one.name === container)!;
    return Object.fromEntries(variables.map(({ name, value, valueFrom }) => [name, value ?? valueFrom?.secretKeyRef]));
  };
  expect(env('Deployment', /-issuance$/, 'issuance')).toMatchObject({
    DATABASE_URL: 'postgresql://holdfast_issuance@db.example.com:5432/holdfast',
    WATERMARK_DATABASE_URL: 'postgresql://holdfast_issuance@subjects.example.com:5432/holdfast',
  });
  expect(env('StatefulSet', /-audit$/, 'audit')).toMatchObject({
    DATABASE_URL: 'postgresql://holdfast_audit@audit.example.com:5433/audit',
  });
  expect(env('Deployment', /-auth$/, 'auth')).not.toHaveProperty('WATERMARK_DATABASE_URL');
  const owners = {
    DATABASE_URL: { name: 'database-owner', key: 'DATABASE_URL' },
    DATABASE_URL_AUDIT: { name: 'audit-owner', key: 'url' },
    DATABASE_URL_SUBJECTS: { name: 'subjects-owner', key: 'DATABASE_URL' },
  };
  expect(env('Job', /-setup-/, 'database')).toMatchObject(owners);
  expect(env('CronJob', /-rewrite$/, 'rewrite')).toMatchObject(owners);
  expect(env('Job', /-setup-/, 'migrate-audit')).toMatchObject({ DATABASE_URL: owners.DATABASE_URL_AUDIT });
  expect(env('Job', /-setup-/, 'migrate-auth')).toMatchObject({ DATABASE_URL: owners.DATABASE_URL });
  const policy = (name: string) => JSON.stringify(named('external', 'NetworkPolicy', name).spec);
  expect(policy('holdfast-setup')).toContain('"port":5433');
  expect(policy('holdfast-issuance')).not.toContain('"port":5433');
});

test('only subjects and audit read from a standby, each from one of its own database', () => {
  const readUrls = (set: string): Record<string, string | undefined> =>
    Object.fromEntries(
      serviceNames.map((service) => {
        const workload = of(set).find(
          (m) => podOf(m) && m.metadata.labels?.['app.kubernetes.io/component'] === service,
        )!;
        const { env = [] } = podOf(workload)!.containers.find(({ name }) => name === service)!;
        return [service, env.find(({ name }) => name === 'DATABASE_READ_URL')?.value];
      }),
    );
  const given = (set: string) => Object.entries(readUrls(set)).filter(([, url]) => url !== undefined);
  // Subjects has a database of its own there, without a standby.
  expect(given('external')).toEqual([['audit', 'postgresql://holdfast_audit@audit-standby.example.com:5433/audit']]);
  expect(given('cloudnativepg')).toEqual(
    ['subjects', 'audit'].map((service) => [
      service,
      `postgresql://holdfast_${service}@holdfast-postgresql-ro:5432/holdfast`,
    ]),
  );
});

test('only services that call out may reach the internet, and never the network of the cluster', () => {
  const open = of('minimal')
    .filter((m) => m.kind === 'NetworkPolicy' && JSON.stringify(m.spec).includes('0.0.0.0/0'))
    .map((m) => m.metadata.labels?.['app.kubernetes.io/component']);
  expect(open.sort()).toEqual(['audit', 'auth', 'directory', 'issuance', 'signals']);
  expect(JSON.stringify(named('minimal', 'NetworkPolicy', 'holdfast-auth').spec)).toContain('"10.0.0.0/8"');
});

describe('the CronJob that dumps the database', () => {
  /** Runs its script in a folder in place of the volume, with a pg_dump that has the status `status`. */
  function dump(folder: string, status: number): number | null {
    const job = podOf(named('everything', 'CronJob', 'id-backup-dump'))!.containers[0]!;
    writeFileSync(join(folder, 'pg_dump'), `#!/bin/bash\nmkdir "\${@: -1}"; exit ${status}\n`, { mode: 0o755 });
    const script = job.args![0]!.replaceAll('/backup', folder);
    return spawnSync('bash', ['-euc', script], {
      env: { PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: 'postgresql://localhost/holdfast' },
    }).status;
  }
  const dumps = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('dump-'));

  test('keeps dumps for keepDays, and files that are no dumps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-'));
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    for (const [name, days] of [
      ['dump-old', 15],
      ['dump-recent', 13],
      ['erased.csv', 99],
    ] as const) {
      mkdirSync(join(folder, name));
      utimesSync(join(folder, name), daysAgo(days), daysAgo(days));
    }
    expect(dump(folder, 0)).toBe(0);
    expect(dumps(folder)).toEqual([expect.stringMatching(/^dump-\d{8}T\d{6}$/), 'dump-recent']);
    expect(readdirSync(folder)).toContain('erased.csv');
  });

  test('fails without removing a dump when pg_dump fails, and its incomplete dump has another name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-'));
    mkdirSync(join(folder, 'dump-old'));
    utimesSync(join(folder, 'dump-old'), new Date(0), new Date(0));
    expect(dump(folder, 1)).toBe(1);
    expect(dumps(folder)).toEqual([expect.stringMatching(/\.partial$/), 'dump-old']);
  });
});

describe('values that contradict each other', () => {
  test.each([
    ['baseUrl=', 'baseUrl must be the public address'],
    ['baseUrl=https://id.example.com/path', 'without a path'],
    ['secrets.mode=existing', 'secrets.existingSecret names no Secret'],
    ['secrets.existingSecret=mine', 'secrets.mode is generated'],
    ['postgresql.mode=bundled', 'postgresql.external.host is set'],
    ['postgresql.external.owner.existingSecret=', "with the URL of the database's owner"],
    ['postgresql.external.host=', 'postgresql.external has no host for auth'],
    ['nats.mode=external', 'nats.external.urls is empty'],
    ['nats.external.urls=tls://n:4222', 'nats.mode is bundled'],
    ['nats.bundled.replicas=2', 'JetStream needs a majority'],
    ['nats.bundled.replicas=1,nats.streamReplicas=3', 'there are 1 servers'],
    ['tls.mode=existing', 'tls.existing.nats names no Secret'],
    ['gatewayApi.enabled=true', 'parentRefs names no Gateway'],
    ['services.auth.terminationGracePeriodSeconds=10', 'auth: terminationGracePeriodSeconds is 10'],
    ['services.auth.autoscaling.requestRate.enabled=true', 'auth: autoscaling.requestRate is enabled'],
    ['services.audit.autoscaling.load.enabled=true', 'audit: autoscaling.load is enabled'],
    ['defaults.podDisruptionBudget.maxUnavailable=0', 'blocks every drain'],
    ['defaults.podDisruptionBudget.minAvailable=100%', 'minAvailable 100% blocks every drain'],
    ['defaults.podDisruptionBudget.minAvailable=2', 'auth: podDisruptionBudget.minAvailable 2 blocks every drain'],
    ['defaults.replicas=1,services.auth.terminationGracePeriodSeconds=60', '50 s until its successor is ready'],
    ['defaults.podSpec.volumes=none', 'auth: podSpec.volumes would stand twice'],
    ['jobs.podSpec.tolerations=none', 'jobs.podSpec.tolerations would stand twice'],
    ['serviceAccount.create=false', 'serviceAccount.name is empty'],
    ['postgresql.mode=sqlite', '/postgresql/mode'],
    ['services.billing.replicas=1', 'billing'],
    ['repilcas=1', 'repilcas'],
    ['baseUrl=https://ID.example.com', 'in lower case'],
    ['baseUrl=https://id.example.com/', 'without a path'],
    ['baseUrl=id.example.com', 'baseUrl must be the public address'],
    ['baseUrl=https://user@id.example.com', 'baseUrl must be the public address'],
    ['baseUrl=https://id.example.com:0', 'baseUrl must be the public address'],
    ['nats.bundled.maxFileStore=12GB', 'nats.bundled.maxFileStore is 12GB and exceeds its volume'],
    ['nats.bundled.storage.size=4Gi', 'nats.bundled.storage.size 4Gi'],
    ['nats.bundled.maxFileStore=much', 'which is no size such as 8GB'],
    ['nats.auditStream.maxBytes=99000000000', 'nats.auditStream.maxBytes is 99000000000 and exceeds'],
    ['nats.bundled.storage.size=big', '/nats/bundled/storage/size'],
    ['services.audit.checkpoints.size=1 GB', '/services/audit/checkpoints/size'],
    ['backup.storage.size=0', '/backup/storage/size'],
    ['backup.dumpSchedule=nightly', 'it has 1 fields instead of 5'],
    ['backup.dumpSchedule=0 25 * * *', '"25" is no hour'],
    ['backup.dumpSchedule=0 2 * * 8', '"8" is no day of the week'],
    ['backup.ledgerSchedule=*/5 * * *', 'it has 4 fields instead of 5'],
    ['backup.ledgerSchedule=x * * * *', '"x" is no minute'],
    ['backup.checkpointSchedule=24 24 * * *', '"24" is no hour'],
    ['maintenance.rewriteSchedule=61 3 * * *', '"61" is no minute'],
    ['postgresql.cloudnativepg.backupSchedule=0 2 * * *', 'it has 5 fields instead of 6'],
    ['trustedProxies[0]=proxy.example.com', 'trustedProxies: proxy.example.com is no network'],
    ['trustedProxies[0]=10.0.0.0/33', 'trustedProxies: 10.0.0.0/33 is no network'],
    ['trustedProxies[0]=10.0.0.256', 'trustedProxies: 10.0.0.256 is no network'],
    ['networkPolicy.internet.except4[0]=10.0.0.0', '10.0.0.0 needs the length of its prefix'],
    ['networkPolicy.gatewayFrom[0].ipBlock.cidr=10.0.0.0/99', 'networkPolicy.gatewayFrom: 10.0.0.0/99'],
    ['networkPolicy.internet.except6[0]=fc00:::/7', 'networkPolicy.internet.except6: fc00:::/7'],
    ['defaults.resources.limits.memory=300Mi', 'the heap alone may use 268Mi'],
    ['services.signals.resources.limits.memory=half', 'the limit of memory, half, is no size'],
    ['services.audit.resources.requests.memory=1Gi', 'audit: the limit of memory (512Mi) is below its request (1Gi)'],
    ['defaults.resources.limits.cpu=100m', 'audit: the limit of CPU (100m) is below its request (210m)'],
    ['jobs.resources.limits.memory=64Mi', 'jobs: the limit of memory (64Mi) is below'],
    ['cli.resources.limits.cpu=0.005', 'cli: the limit of CPU (0.005) is below its request (10m)'],
    ['nats.bundled.resources.requests.memory=2Gi', 'nats: the limit of memory (1Gi) is below'],
    ['defaults.env.LOG_LEVLE=debug', 'no service has a setting LOG_LEVLE'],
    ['services.gateway.env.DATABASE_POOL=3', 'gateway has no setting DATABASE_POOL'],
    ['services.auth.env.BASE_URL=x', 'auth: the chart sets the variable BASE_URL'],
    ['services.auth.env.SECRET_PEPPER=x', 'auth: the chart sets the variable SECRET_PEPPER'],
    ['services.auth.env.NATS_CA_FILE=x', 'auth: the chart sets the variable NATS_CA_FILE'],
    ['services.audit.env.DATABASE_PASSWORD_FILE=x', 'audit: the chart sets the variable DATABASE_PASSWORD_FILE'],
    ['services.gateway.env.AUTH_URLS=x', 'gateway: the chart sets the variable AUTH_URLS'],
    [
      'defaults.env.LOG_LEVEL=info,defaults.extraEnv[0].name=LOG_LEVEL,defaults.extraEnv[0].value=debug',
      'the variable LOG_LEVEL stands twice',
    ],
    ['services.auth.replicas=4', 'auth: 4 replicas and one more during an upgrade have 12 connections each'],
    ['services.auth.env.DATABASE_POOL=20', 'have 20 connections each'],
    ['services.auth.autoscaling.enabled=true', 'Set it to 84 or more'],
    ['monitoring.rules.disabled[0]=HoldfastNothing', 'there is no alert HoldfastNothing'],
    ['monitoring.rules.enabled=true,monitoring.rules.docsUrl=here', 'monitoring.rules.docsUrl is "here"'],
    ['image.digests.gatewy=sha256:abc', 'gatewy'],
    ['image.digests.gateway=sha256:abc', '/image/digests/gateway'],
    ['services.auth.image.digest=latest', '/services/auth/image/digest'],
    ['nats.bundled.image.digest=latest', '/nats/bundled/image/digest'],
    ['service.type=NodePort,service.nodePort=8080', 'service.nodePort is 8080'],
    ['service.nodePort=31000', 'service.type is ClusterIP'],
    [
      'service.spec.type=LoadBalancer',
      'service.spec has the member type, which the chart sets by itself (service.type)',
    ],
    ['services.auth.env.OUTBOUND_PORTS=https', 'services.auth.env: OUTBOUND_PORTS is "https"'],
    ['service.port=70000', '/service/port'],
    ['postgresql.external.port=0', '/postgresql/external/port'],
    ['postgresql.connectionsPerService=0', '/postgresql/connectionsPerService'],
    ['backup.keepDays=0', '/backup/keepDays'],
    ['tls.lifetimeDays=1', '/tls/lifetimeDays'],
    ['jobs.backoffLimit=-1', '/jobs/backoffLimit'],
    ['rollout.waitSeconds=-1', '/rollout/waitSeconds'],
    ['defaults.replicas=-1', '/defaults/replicas'],
    ['defaults.strategy.type=OnDelete', '/defaults/strategy/type'],
    [
      'defaults.strategy.type=Recreate,defaults.strategy.rollingUpdate.maxSurge=1',
      'auth: strategy.rollingUpdate is for',
    ],
    [
      'services.auth.strategy.rollingUpdate.maxSurge=0,services.auth.strategy.rollingUpdate.maxUnavailable=0%',
      'auth: strategy.rollingUpdate has maxSurge 0 and maxUnavailable 0',
    ],
    [
      'services.audit.updateStrategy.type=OnDelete,services.audit.updateStrategy.rollingUpdate.partition=1',
      'audit: updateStrategy.rollingUpdate is for the type RollingUpdate',
    ],
    [
      'nats.bundled.updateStrategy.type=OnDelete,nats.bundled.updateStrategy.rollingUpdate.partition=1',
      'nats.bundled.updateStrategy.rollingUpdate is for the type RollingUpdate',
    ],
    [
      'defaults.probes.liveness.exec.command[0]=node,services.auth.probes.liveness.tcpSocket.port=http',
      'auth: probes.liveness has exec and tcpSocket',
    ],
    ['defaults.probes.startup.successThreshold=2', 'probes.startup.successThreshold is 2'],
    ['defaults.preStopSeconds=0', 'preStopSeconds is 0, and there is no lifecycle.preStop'],
    [
      'services.auth.lifecycle.preStop.exec.command[0]=node',
      'auth: lifecycle.preStop replaces the wait of preStopSeconds (5)',
    ],
    ['defaults.lifecycle.stopSignal=SIGTERM', 'stopSignal'],
    ['defaults.args[0]=1', '/defaults/args/0'],
    ['defaults.podLabels.app\\.kubernetes\\.io/name=x', 'defaults.podLabels has app.kubernetes.io/name'],
    ['services.auth.podLabels.holdfast/version=x', 'services.auth.podLabels has holdfast/version'],
    ['commonAnnotations.helm\\.sh/hook=test', 'would make every object of the release a hook'],
    ['commonAnnotations.team=1', '/commonAnnotations/team'],
    ['service.appProtocol=http/', '/service/appProtocol'],
    ['jobs.ttlSecondsAfterFinished=-1', '/jobs/ttlSecondsAfterFinished'],
    ['ingress.host=a.example.com,ingress.hosts[0]=b.example.com', 'ingress.host and ingress.hosts are set'],
    ['ingress.enabled=true,ingress.host=https://id.example.com', 'the host "https://id.example.com" is no name'],
    ['ingress.enabled=true,ingress.hosts[0]=192.0.2.1', 'the host "192.0.2.1" is no name'],
    ['ingress.enabled=true,ingress.hosts[0]=a.example,ingress.hosts[1]=a.example', 'ingress.hosts has a host twice'],
    ['ingress.paths[0].path=api,ingress.paths[0].pathType=Prefix', '/ingress/paths/0/path'],
    ['ingress.paths[0].path=/,ingress.paths[0].pathType=Regex', '/ingress/paths/0/pathType'],
    ['ingress.tls.secretName=a,ingress.tls.entries[0].secretName=b', 'ingress.tls.entries and ingress.tls.secretName'],
    ['nats.bundled.storage.existingClaim=data', 'there are 3 servers, each with a volume of its own'],
    [
      'postgresql.external.tls=false,postgresql.external.perService.auth.clientCertificate.existingSecret=auth-client',
      'perService.auth.clientCertificate names a Secret, and postgresql.external.tls is false',
    ],
    [
      'postgresql.mode=bundled,postgresql.external.host=,postgresql.external.clientCertificate.existingSecret=client',
      'postgresql.external.clientCertificate names a Secret, and postgresql.mode is bundled',
    ],
    [
      'services.auth.env.DATABASE_CERT_FILE=x,postgresql.external.clientCertificate.existingSecret=c',
      'DATABASE_CERT_FILE',
    ],
  ])('%s is refused with what to do', async (setting, message) => {
    await expect(render('minimal', '--set', setting)).rejects.toThrow(message);
  });

  // What looks similar and is right.
  test.each([
    'baseUrl=https://id.example.com:8443',
    'baseUrl=http://[::1]:8080',
    'backup.dumpSchedule=0 2-4/2 1 JAN-MAR MON-FRI',
    'backup.ledgerSchedule=@hourly',
    'nats.bundled.maxFileStore=10GB',
    'trustedProxies[0]=192.0.2.7',
    'trustedProxies[0]=2001:db8::/32',
    'services.auth.extraEnv[0].name=MINE,services.auth.extraEnv[0].value=x',
    'defaults.env.OTEL_SERVICE_NAME=x',
    'services.gateway.env.RATE_LIMITS=all=10',
    'services.auth.replicas=4,services.auth.env.DATABASE_POOL=8',
    'services.auth.replicas=4,postgresql.connectionsPerService=60',
    'monitoring.rules.disabled[0]=HoldfastClockWrong',
    'services.auth.resources.limits.memory=0.5G',
    'defaults.preStopSeconds=0,defaults.lifecycle.preStop.exec.command[0]=node',
    'ingress.enabled=true,ingress.host=*.example.com',
    'nats.bundled.replicas=1,nats.bundled.storage.existingClaim=data',
    'service.appProtocol=kubernetes.io/h2c',
    'services.auth.resources.limits.memory=200Mi,services.auth.env.NODE_OPTIONS=--max-old-space-size=96',
  ])('%s is accepted', async (setting) => {
    expect(await render('minimal', '--set', setting)).toContain('kind: Deployment');
  });
});
