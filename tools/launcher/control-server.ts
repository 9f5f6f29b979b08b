import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { notStoringPrefix } from '@holdfast/contracts';
import { eventually } from '../infra/ports.ts';
import { readiness } from './service-program.ts';
import type { Member } from './stack.ts';

export interface ServiceStatus {
  name: string;
  replica: number;
  pid: number | null;
  state: string;
  readyUrl: string | null;
  /** What an operator should know though it is ready. */
  remarks: string[];
}

/** What may be told when something is started. */
export interface StartOptions {
  /** Variables that win over the .env file and the launcher's own environment. */
  settings?: NodeJS.ProcessEnv;
  /** Folder of the clone whose build is to run: of another version, beside all others. */
  build?: string;
}

const bodyLimitBytes = 65_536;

export interface Control {
  port: number;
  token: string;
}

/** Listens for `holdfast service …` on the loopback address; the token lies in a file that only our user can read. */
export async function openControl(members: Member[]): Promise<Control & { close(): void }> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    // Whatever a request does, it must not end the launcher, and all services with it.
    void answer(request, token, members)
      .catch((error: unknown) => ({ status: 500, body: { message: `That failed: ${String(error)}` } }))
      .then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { token, port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

async function answer(
  request: IncomingMessage,
  token: string,
  members: Member[],
): Promise<{ status: number; body: unknown }> {
  if (!sameText(request.headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, body: { message: 'The token of launcher.json is missing.' } };
  const [, action = '', target = ''] = (request.url ?? '').split('/').map(decoded);
  if (action === 'list') return { status: 200, body: await statusOfAll(members) };
  const perform = request.method === 'POST' ? actions[action] : undefined;
  if (!perform) return { status: 404, body: { message: `There is no action ${action}.` } };
  const chosen = members.filter((m) => m.name === target || `${m.name}-${m.replica}` === target);
  if ((action === 'cut' || action === 'mend') && !chosen.every(({ links }) => links))
    return {
      status: 409,
      body: { message: `The connections of ${target} cannot be cut: start with --severable, and name a service.` },
    };
  if (chosen.length === 0)
    return { status: 404, body: { message: `There is no ${target} here; "service list" shows what there is.` } };
  const options = await optionsOf(request);
  if (options === undefined)
    return { status: 400, body: { message: 'The body is no JSON object of { settings, build } up to 64 kB.' } };
  const { build } = options;
  const unbuilt =
    build !== undefined &&
    chosen.find(({ name }) => !isAbsolute(build) || !existsSync(join(build, 'apps', name, 'dist', 'main.js')));
  if (unbuilt)
    return {
      status: 400,
      body: {
        message: `There is no build of ${unbuilt.name} in ${build}; build that clone first: node tools/check.mjs build`,
      },
    };
  const running = build !== undefined && chosen.find(({ supervised }) => supervised.pid !== null);
  if (running)
    return {
      status: 409,
      body: {
        message: `${running.name}-${running.replica} is running; stop it first: service stop ${running.name}-${running.replica}`,
      },
    };
  const done = await Promise.all(chosen.map((member) => perform(member, options)));
  if (!done.every(Boolean))
    return {
      status: 409,
      body: { message: `${target} has no process at the moment; "service start ${target}" starts it.` },
    };
  return { status: 200, body: await Promise.all(chosen.map(statusOf)) };
}

const actions: Record<string, (member: Member, options: StartOptions) => Promise<boolean>> = {
  /** With the settings of now: the .env file and secrets.json are read again. */
  async start({ supervised, plan }, { settings = {}, build }) {
    supervised.start(plan?.(settings, build));
    await supervised.untilReady(30_000);
    return true;
  },
  async stop({ supervised }) {
    await supervised.stop();
    return true;
  },
  async kill({ supervised }) {
    const { pid } = supervised;
    return supervised.signal('SIGKILL') && eventually(() => supervised.pid !== pid, 5000);
  },
  cut: async ({ links }) => {
    links?.forEach((link) => link.cut());
    return true;
  },
  mend: async ({ links }) => {
    links?.forEach((link) => link.mend());
    return true;
  },
  pause: async ({ supervised }) => supervised.signal('SIGSTOP'),
  resume: async ({ supervised }) => supervised.signal('SIGCONT'),
};

/** Undefined when it is not what a start takes. */
async function optionsOf(request: IncomingMessage): Promise<StartOptions | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if ((bytes += chunk.length) > bodyLimitBytes) return undefined;
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    const { settings = {}, build } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as StartOptions;
    const right =
      typeof settings === 'object' &&
      Object.values(settings).every((value) => typeof value === 'string') &&
      ['string', 'undefined'].includes(typeof build);
    return right ? { settings, ...(build !== undefined && { build }) } : undefined;
  } catch {
    return undefined;
  }
}

/** Each as it is now; of nats-server, what the services say that have it store events. */
async function statusOfAll(members: Member[]): Promise<ServiceStatus[]> {
  const all = await Promise.all(members.map(statusOf));
  const stores = !all.some(({ remarks }) => remarks.some((remark) => remark.startsWith(notStoringPrefix)));
  return all.map((status) =>
    status.name === 'nats' && status.state === 'ready' && !stores ? { ...status, state: 'not storing' } : status,
  );
}

/** A service that was ready once may not be now, say without its database: it is asked. */
async function statusOf({ name, replica, readyUrl, supervised }: Member): Promise<ServiceStatus> {
  const readyz = supervised.state === 'ready' && readyUrl !== null ? await readiness(readyUrl) : undefined;
  const state = readyz && !readyz.ready ? 'not ready' : supervised.state;
  return { name, replica, pid: supervised.pid, state, readyUrl, remarks: readyz?.remarks ?? [] };
}

/** As it stands when it cannot be decoded: then it names nothing that we have. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** By their hashes, since two texts of one length may differ in bytes, which timingSafeEqual answers by throwing. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
