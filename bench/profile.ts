import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuProfile } from './profile-summary.ts';

/** Node.js opens its inspector at this address after SIGUSR1. */
const inspector = 'http://127.0.0.1:9229/json/list';

/** Profiles a running service during `load`. The service needs no special start. */
export async function profileWhile(pid: number, load: () => Promise<unknown>): Promise<CpuProfile> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await debuggerUrl());
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector rejects the connection'));
  });
  const send = commandSender(socket);
  const { result } = (await send('Runtime.evaluate', { expression: 'process.pid' })) as { result: { value: number } };
  if (result.value !== pid)
    throw new Error('Port 9229 belongs to the inspector of another program. Stop that program and try again.');
  await send('Profiler.enable');
  await send('Profiler.setSamplingInterval', { interval: 200 });
  await send('Profiler.start');
  await load();
  const { profile } = (await send('Profiler.stop')) as { profile: CpuProfile };
  void send('Runtime.evaluate', { expression: "process.getBuiltinModule('node:inspector').close()" });
  await sleep(200);
  socket.close();
  return profile;
}

async function debuggerUrl(): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    await sleep(100);
    try {
      const [target] = (await (await fetch(inspector)).json()) as { webSocketDebuggerUrl: string }[];
      return target!.webSocketDebuggerUrl;
    } catch (error) {
      if (attempt === 30) throw error;
    }
  }
}

function commandSender(socket: WebSocket): (method: string, params?: object) => Promise<unknown> {
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id: number;
      result?: unknown;
      error?: { message: string };
    };
    if (error) pending.get(id)?.reject(new Error(error.message));
    else pending.get(id)?.resolve(result);
  };
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = pending.size + 1;
      pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
}
