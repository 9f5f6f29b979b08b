import { connect } from 'node:net';
import type { Program } from './program.ts';

export interface NatsOptions {
  binary: string;
  configFile: string;
  port: number;
  /** Working folder; the server keeps nothing there. */
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
    stopWithin: 10_000,
    ready: () => greets('127.0.0.1', port),
  };
}

/** A nats-server greets every connection with a line `INFO {…}`, which says whether JetStream is up. */
export function greets(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let greeting = '';
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      greeting += chunk.toString();
      if (greeting.includes('\r\n')) finish(greeting.startsWith('INFO ') && greeting.includes('"jetstream":true'));
    });
  });
}
