import { z } from 'zod';
import { print } from '../infra/console.ts';
import { output, runProgram } from './program.ts';
import { tryShop } from './try-shop.ts';

// A project of its own: a stack that somebody uses, and its volumes, are left alone.
const compose = ['compose', '-p', 'holdfast-images', '-f', 'docker/compose.yaml'];
const baseUrl = `http://localhost:${process.env.PORT || 8080}`;
const containerSchema = z.object({
  Name: z.string(),
  Config: z.object({ User: z.string() }),
  HostConfig: z.object({ ReadonlyRootfs: z.boolean(), CapDrop: z.array(z.string()).nullable() }),
  State: z.object({ Health: z.object({ Status: z.string() }).optional() }),
});
const seedSchema = z.object({
  organizations: z.array(
    z.looseObject({
      shortId: z.string(),
      apps: z.array(z.looseObject({ scopes: z.array(z.string()), clientId: z.string(), clientSecret: z.string() })),
    }),
  ),
});
const tokenSchema = z.object({ access_token: z.string() });
const offerSchema = z.object({ offerId: z.string(), claimUrl: z.url() });

/**
 * Starts the stack of docker/compose.yaml from the images that exist, and uses it as an app and a customer would.
 * `folder` is for files of this run.
 */
export async function tryStack(images: string[], keepsRunning: boolean, folder: string): Promise<void> {
  runProgram(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/docker/main.ts']);
  const began = Date.now();
  try {
    runProgram('docker', [...compose, 'up', '--no-build', '--detach', '--wait', '--quiet-pull']);
    print(`The stack is healthy after ${Math.round((Date.now() - began) / 1000)} s.`);
    const services = images.filter((image) => image !== 'cli');
    for (const service of services) checkContainer(service);
    print(`${services.length} services run read-only as user 1000 without capabilities.`);
    await useStack(folder);
  } catch (error) {
    runProgram('docker', [...compose, 'logs', '--tail=20']);
    throw error;
  } finally {
    if (!keepsRunning) runProgram('docker', [...compose, 'down', '--volumes', '--timeout=20']);
  }
}

function checkContainer(service: string): void {
  const id = output('docker', [...compose, 'ps', '-q', service]).trim();
  const [found] = z.array(containerSchema).parse(JSON.parse(output('docker', ['inspect', id])));
  if (!found?.HostConfig.ReadonlyRootfs) throw new Error(`${service} can write to its file system.`);
  if (found.Config.User !== '1000:1000') throw new Error(`${service} runs as ${found.Config.User}.`);
  if (!found.HostConfig.CapDrop?.includes('ALL')) throw new Error(`${service} has capabilities.`);
  if (found.State.Health?.Status !== 'healthy') throw new Error(`${service} is ${found.State.Health?.Status}.`);
}

async function useStack(folder: string): Promise<void> {
  const seeded = seedSchema.parse(
    JSON.parse(output('docker', [...compose, 'run', '--rm', '-T', 'cli', 'demo', 'seed', '--json'])),
  );
  const [org] = seeded.organizations;
  const app = org?.apps.find(({ scopes }) => ['offers:write', 'issued:read'].every((scope) => scopes.includes(scope)));
  if (!org || !app) throw new Error('The demo has no app that may create offers.');
  const { access_token: token } = tokenSchema.parse(
    await call('/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'offers:write issued:read' }),
    }),
  );
  const headers = { authorization: `Bearer ${token}` };
  const api = `/o/${org.shortId}/api/credentials`;
  const offer = offerSchema.parse(await call(`${api}/offers`, { method: 'POST', headers }));
  await call(`${api}/subjects`, { headers });
  await call(new URL(offer.claimUrl).pathname, {});
  print('Token, offer, list and claim page respond.');
  await tryShop(folder, baseUrl, seeded.organizations);
}

async function call(path: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(new URL(path, baseUrl), { ...request, signal: AbortSignal.timeout(15_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${text.slice(0, 500)}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}
