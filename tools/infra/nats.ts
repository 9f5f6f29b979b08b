import { connect } from 'node:net';
import type { Program } from './program.ts';

export interface NatsOptions {
  binary: string;
  configFile: string;
  port: number;
  /** Working folder; the server stores nothing there. */
  folder: string;
  logFile: string;
}

export function natsProgram({ binary, configFile, port, folder, logFile }: NatsOptions): Program {
  return {
    name: 'nats',
    command: binary,
    args: ['-c', configFile],
    env: { PATH: process.env.PATH, TZ: 'UTC' },
    cwd: folder,
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
    ready: () => hasJetStream('127.0.0.1', port),
  };
}

/** Whether a nats-server with JetStream listens there. */
export async function hasJetStream(host: string, port: number): Promise<boolean> {
  return (await serverInfo(host, port))?.jetstream === true;
}

/**
 * The `INFO {…}` line that a nats-server sends on every connection. Undefined when none arrives within a second.
 */
export function serverInfo(host: string, port: number): Promise<{ version?: string; jetstream?: boolean } | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let text = '';
    const finish = (): void => {
      socket.destroy();
      resolve(infoOf(text));
    };
    socket.setTimeout(1000, finish);
    socket.on('error', finish);
    socket.on('close', finish);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('\r\n')) finish();
    });
  });
}

function infoOf(text: string): { version?: string; jetstream?: boolean } | undefined {
  if (!text.startsWith('INFO ') || !text.includes('\r\n')) return undefined;
  try {
    return JSON.parse(text.slice(5, text.indexOf('\r\n'))) as { version?: string; jetstream?: boolean };
  } catch {
    return undefined;
  }
}
