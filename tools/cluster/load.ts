import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { print } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import type { Kubernetes } from './kubernetes.ts';

const name = 'load';
const requestsPerSecond = 10;
const seedSchema = z.object({
  organizations: z.array(
    z.object({
      shortId: z.string(),
      apps: z.array(z.object({ scopes: z.array(z.string()), clientId: z.string(), clientSecret: z.string() })),
    }),
  ),
});
const figuresSchema = z.object({ requests: z.number(), failed: z.number(), slowestMs: z.number() });

/**
 * Creates the demo organizations, and starts a pod that uses the gateway as one of their apps. It replaces one that
 * runs.
 */
export async function startLoad(cluster: Kubernetes, release: string, image: string): Promise<void> {
  const seed = cluster.kubectl([
    'exec',
    `deploy/${release}-cli`,
    '--',
    'node',
    'service/main.js',
    'demo',
    'seed',
    '--json',
  ]);
  const [org] = seedSchema.parse(JSON.parse(seed)).organizations;
  const app = org?.apps.find(({ scopes }) =>
    ['offers:write', 'issued:read', 'issued:manage'].every((scope) => scopes.includes(scope)),
  );
  if (!org || !app) throw new Error('The demo has no app that may create offers.');
  const env = {
    GATEWAY: `http://${release}-gateway`,
    ORGANIZATION: org.shortId,
    CLIENT_ID: app.clientId,
    CLIENT_SECRET: app.clientSecret,
    REQUESTS_PER_SECOND: String(requestsPerSecond),
  };
  const script = readFileSync(join(root, 'tools/cluster/load-client.ts'), 'utf8');
  const objects = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: env },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'load.mts': script } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec: podSpec(image) },
  ];
  cluster.kubectl(['delete', 'pod', name, '--ignore-not-found']);
  cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  cluster.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s']);
  await untilQuiet(cluster);
}

/** Caches are cold and connections are few: failures count from the first ten seconds without one. */
async function untilQuiet(cluster: Kubernetes): Promise<void> {
  const deadline = Date.now() + 3 * 60_000;
  for (let before = figures(cluster); ;) {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const after = figures(cluster);
    if (after.failures.length === before.failures.length && after.requests > before.requests) return;
    if (Date.now() > deadline)
      throw new Error(`Requests fail without a change: ${after.failures.at(-1) ?? 'none sent'}`);
    before = after;
  }
}

/** Runs a step under load, prints its figures and each failure, and returns the number of failed requests. */
export async function underLoad(cluster: Kubernetes, step: string, act: () => Promise<void>): Promise<number> {
  const before = figures(cluster);
  const began = Date.now();
  await act();
  // Requests that were accepted last.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const after = figures(cluster);
  const failures = after.failures.slice(before.failures.length);
  const seconds = Math.round((Date.now() - began) / 1000);
  const slowestMs = Math.max(0, ...after.slowest.slice(before.slowest.length));
  print(
    `${step.padEnd(28)} ${String(seconds).padStart(4)} s  ` +
      `${String(after.requests - before.requests).padStart(6)} requests  ` +
      `${failures.length} failed  slowest ${slowestMs} ms`,
  );
  for (const failure of failures.slice(0, 10)) print(`  ${failure}`);
  return failures.length;
}

/** One request of an app, by the pod of the load: the gateway needs no port on this machine. */
export function requestFromLoadPod(
  cluster: Kubernetes,
  app: { shortId: string; clientId: string; clientSecret: string },
  scopes: string[],
  method: string,
  path: string,
): unknown {
  const { shortId, clientId, clientSecret } = app;
  const script = `
    const { url, scope, basic, method } = JSON.parse(process.argv[1]);
    const send = async (path, init) => {
      const response = await fetch(process.env.GATEWAY + path, init);
      const text = await response.text();
      if (!response.ok) throw new Error(response.status + ' ' + text);
      return JSON.parse(text);
    };
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
    const { access_token } = await send('/oauth2/token', { method: 'POST', headers: { authorization: basic }, body });
    console.log(JSON.stringify(await send(url, { method, headers: { authorization: 'Bearer ' + access_token } })));`;
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const request = { url: `/o/${shortId}/api/credentials/${path}`, scope: scopes.join(' '), basic, method };
  const node = ['exec', name, '--', 'node', '--input-type=module', '--eval', script, JSON.stringify(request)];
  return JSON.parse(cluster.kubectl(node));
}

function figures(cluster: Kubernetes): { requests: number; failures: string[]; slowest: number[] } {
  const lines = cluster.kubectl(['logs', name]).trim().split('\n');
  const reports = lines
    .filter((line) => line.startsWith('{"requests"'))
    .map((line) => figuresSchema.parse(JSON.parse(line)));
  return {
    requests: reports.at(-1)?.requests ?? 0,
    failures: lines.filter((line) => !line.startsWith('{"requests"')),
    slowest: reports.map(({ slowestMs }) => slowestMs),
  };
}

function podSpec(image: string): object {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '/load/load.mts'],
        envFrom: [{ secretRef: { name } }],
        resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'load', mountPath: '/load' }],
      },
    ],
    volumes: [{ name: 'load', configMap: { name } }],
  };
}
