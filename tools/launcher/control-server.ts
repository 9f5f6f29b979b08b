import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../infra/ports.ts';
import type { Member } from './house.ts';
import { answersOk } from './service-program.ts';

export interface ServiceStatus {
  name: string;
  replica: number;
  pid: number | null;
  state: string;
  readyUrl: string | null;
}

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
      .then(({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { token, port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

async function answer(request: IncomingMessage, token: string, members: Member[]): Promise<{ status: number; body: unknown }> {
  if (!sameText(request.headers.authorization ?? '', `Bearer ${token}`)) return { status: 401, body: { message: 'The token of launcher.json is missing.' } };
  const [, action = '', target = ''] = (request.url ?? '').split('/').map(decoded);
  if (action === 'list') return { status: 200, body: await Promise.all(members.map(statusOf)) };
  const perform = request.method === 'POST' ? actions[action] : undefined;
  if (!perform) return { status: 404, body: { message: `There is no action ${action}.` } };
  const chosen = members.filter((m) => m.name === target || `${m.name}-${m.replica}` === target);
  if (chosen.length === 0) return { status: 404, body: { message: `There is no ${target} here; "service list" shows what there is.` } };
  const done = await Promise.all(chosen.map(perform));
  if (!done.every(Boolean)) return { status: 409, body: { message: `${target} has no process at the moment; "service start ${target}" starts it.` } };
  return { status: 200, body: await Promise.all(chosen.map(statusOf)) };
}

const actions: Record<string, (member: Member) => Promise<boolean>> = {
  async start({ supervised }) {
    supervised.start();
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
  pause: async ({ supervised }) => supervised.signal('SIGSTOP'),
  resume: async ({ supervised }) => supervised.signal('SIGCONT'),
};

/** A service that was ready once may not be now, say without its database: it is asked. */
async function statusOf({ name, replica, readyUrl, supervised }: Member): Promise<ServiceStatus> {
  const ask = supervised.state === 'ready' && readyUrl !== null;
  const state = ask && !(await answersOk(readyUrl)) ? 'not ready' : supervised.state;
  return { name, replica, pid: supervised.pid, state, readyUrl };
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
