// Helm refuses to roll back to a revision whose Jobs exist, when the revision that failed has Jobs with other names.
// The hook of the chart deletes them first.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { chart, installHelm, parse, render, type Rendered } from './helm.ts';
import { podOf } from './pod-policies.ts';

let rendered: Rendered[];
beforeAll(async () => {
  await installHelm();
  rendered = parse(await render('bundled', '--set', 'backup.dumpSchedule=0 3 * * *', '--set', 'shards[0].name=second'));
});

const isHook = ({ metadata }: Rendered) => metadata.annotations?.['helm.sh/hook'] !== undefined;

test('the hook may delete each Job of the release, and names it', () => {
  const jobs = rendered.filter((m) => m.kind === 'Job' && !isHook(m)).map(({ metadata }) => metadata.name);
  // A setup for each of two shards, and the first use of the volume for backups.
  expect(jobs.length).toBeGreaterThanOrEqual(3);
  const hook = rendered.find((m) => m.kind === 'Job' && m.metadata.name === 'holdfast-secrets')!;
  expect(hook.metadata.annotations?.['helm.sh/hook']).toContain('pre-rollback');
  const [first] = podOf(hook)!.initContainers as unknown as { command: string[] }[];
  expect(first!.command.slice(3).sort()).toEqual([...jobs].sort());
  const role = rendered.find((m) => m.kind === 'Role' && m.metadata.name === 'holdfast-secrets') as unknown as {
    rules: { resources: string[]; verbs: string[]; resourceNames?: string[] }[];
  };
  const { verbs, resourceNames } = role.rules.find(({ resources }) => resources.includes('jobs'))!;
  expect([verbs, [...resourceNames!].sort()]).toEqual([['delete'], [...jobs].sort()]);
});

test.each([
  ['exists', 200, { code: 0, stdout: 'Deleted the Job setup-1.\n', stderr: '' }],
  ['does not exist', 404, { code: 0, stdout: 'There is no Job setup-1.\n', stderr: '' }],
  [
    'may not be deleted',
    403,
    { code: 1, stdout: '', stderr: 'The Kubernetes API refuses to delete the Job setup-1 with 403.\n' },
  ],
])('its program ends as it should when a Job %s', async (_, status, expected) => {
  const requests: unknown[] = [];
  const api = createServer(({ method, url, headers }, response) => {
    requests.push([method, url, headers.authorization]);
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(process.env.TEST_TMP ?? '', 'service-account-'));
  writeFileSync(join(folder, 'namespace'), 'identity');
  writeFileSync(join(folder, 'token'), 'secret\n');
  const program = readFileSync(join(chart, 'files', 'delete-jobs.js'), 'utf8')
    .replace('/var/run/secrets/kubernetes.io/serviceaccount', folder)
    .replace('https://', 'http://');
  const env = {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: `${(api.address() as AddressInfo).port}`,
  };
  const ended = await promisify(execFile)(process.execPath, ['-e', program, 'setup-1'], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
  api.close();
  expect(ended).toEqual(expected);
  const path = '/apis/batch/v1/namespaces/identity/jobs/setup-1?propagationPolicy=Background';
  expect(requests).toEqual([['DELETE', path, 'Bearer secret']]);
});
