import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { notStoringPrefix } from '@holdfast/contracts';
import { eventually } from '../infra/ports.ts';
import { readiness } from './public-address.ts';
import type { Member } from './stack.ts';

export interface ServiceStatus {
  name: string;
  replica: number;
  pid: number | null;
  state: string;
  readyUrl: string | null;
  /** Remarks of `/readyz` for operators. */
  remarks: string[];
}

/** Options of a start. */
export interface StartOptions {
  /** Variables that win over the .env file and the launcher's own environment. */
  settings?: NodeJS.ProcessEnv;
  /** Folder of the clone whose build is to run, such as that of another version. */
  build?: string;
}

const maxBodyBytes = 65_536;

export interface Control {
  port: number;
  token: string;
}

/** Serves `holdfast service …` on the loopback address. The token is in a file that only the same user can read. */
export async function startControlServer(members: Member[]): Promise<Control & { close(): void }> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    // An error must not end the launcher, and with it all services.
    void handle(request, token, members)
      .catch((error: unknown) => ({ status: 500, body: { message: `The action failed: ${String(error)}` } }))
      .then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { token, port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

async function handle(
  request: IncomingMessage,
  token: string,
  members: Member[],
): Promise<{ status: number; body: unknown }> {
  if (!sameText(request.headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, body: { message: 'The token of launcher.json is missing or wrong.' } };
  const [, action = '', target = ''] = (request.url ?? '').split('/').map(decoded);
  if (action === 'list') return { status: 200, body: await statusOfAll(members) };
  const perform = request.method === 'POST' ? actions[action] : undefined;
  if (!perform) return { status: 404, body: { message: `There is no action ${action}.` } };
  const targets = members.filter((m) => m.name === target || `${m.name}-${m.replica}` === target);
  if ((action === 'cut' || action === 'mend') && !targets.every(({ links }) => links))
    return {
      status: 409,
      body: { message: `The connections of ${target} cannot be cut. Start with --severable, and name a service.` },
    };
  if (action === 'reload' && !targets.every(({ configure }) => configure))
    return {
      status: 409,
      body: { message: `${target} does not reload its configuration. Restart it: service stop, then service start.` },
    };
  if (targets.length === 0)
    return { status: 404, body: { message: `There is no ${target}. "service list" shows the running programs.` } };
  const options = await optionsOf(request);
  if (options === undefined)
    return {
      status: 400,
      body: { message: 'The body must be a JSON object with the members settings and build, of 64 kB at most.' },
    };
  const { build } = options;
  const unbuilt =
    build !== undefined &&
    targets.find(({ name }) => !isAbsolute(build) || !existsSync(join(build, 'apps', name, 'dist', 'main.js')));
  if (unbuilt)
    return {
      status: 400,
      body: {
        message: `There is no build of ${unbuilt.name} in ${build}. Build that clone first: node tools/check.mjs build`,
      },
    };
  const running = build !== undefined && targets.find(({ supervised }) => supervised.pid !== null);
  if (running) {
    const name = `${running.name}-${running.replica}`;
    return { status: 409, body: { message: `${name} is running. Stop it first: service stop ${name}` } };
  }
  const done = await Promise.all(targets.map((member) => perform(member, options)));
  if (!done.every(Boolean))
    return {
      status: 409,
      body: { message: `${target} has no running process. "service start ${target}" starts it.` },
    };
  return { status: 200, body: await Promise.all(targets.map(statusOf)) };
}

const actions: Record<string, (member: Member, options: StartOptions) => Promise<boolean>> = {
  /** Reads the .env file and secrets.json again. */
  async start({ supervised, plan }, { settings = {}, build }) {
    supervised.start(plan?.(settings, build));
    await supervised.untilReady(120_000);
    return true;
  },
  async stop({ supervised }) {
    await supervised.stop();
    return true;
  },
  async kill({ supervised }) {
    const { pid } = supervised;
    return supervised.signal('SIGKILL') && eventually(() => supervised.pid !== pid, 60_000);
  },
  /** Writes its configuration with the users of secrets.json, and makes it read that. Connections stay. */
  async reload({ supervised, configure }) {
    configure?.();
    return supervised.signal('SIGHUP');
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

/** Undefined when the body is not valid. */
async function optionsOf(request: IncomingMessage): Promise<StartOptions | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if ((bytes += chunk.length) > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    const { settings = {}, build } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as StartOptions;
    const valid =
      typeof settings === 'object' &&
      Object.values(settings).every((value) => typeof value === 'string') &&
      ['string', 'undefined'].includes(typeof build);
    return valid ? { settings, ...(build !== undefined && { build }) } : undefined;
  } catch {
    return undefined;
  }
}

/** The current status of all members. Whether nats-server stores events is known from the services that publish. */
async function statusOfAll(members: Member[]): Promise<ServiceStatus[]> {
  const all = await Promise.all(members.map(statusOf));
  const stores = !all.some(({ remarks }) => remarks.some((remark) => remark.startsWith(notStoringPrefix)));
  return all.map((status) =>
    status.name === 'nats' && status.state === 'ready' && !stores ? { ...status, state: 'not storing' } : status,
  );
}

/** A service that was ready before may not be now, for example without its database, so `/readyz` is read again. */
async function statusOf({ name, replica, readyUrl, host, supervised }: Member): Promise<ServiceStatus> {
  const readyz = supervised.state === 'ready' && readyUrl !== null ? await readiness(readyUrl, host) : undefined;
  const state = readyz && !readyz.ready ? 'not ready' : supervised.state;
  return { name, replica, pid: supervised.pid, state, readyUrl, remarks: readyz?.remarks ?? [] };
}

/** Unchanged when it cannot be decoded: then it is the name of no member. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Compares hashes: timingSafeEqual throws when the texts differ in their number of bytes. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
