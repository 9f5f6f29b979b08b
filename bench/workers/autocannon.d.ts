/** The used part of autocannon, which has no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Run extends EventEmitter {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this;
    on(event: 'reqError', listener: () => void): this;
  }
  interface Settings {
    url: string;
    requests: object[];
    connections: number;
    /** Seconds. */
    duration: number;
    /** Seconds. */
    timeout: number;
  }
  export default function autocannon(settings: Settings, done: (error: Error | null) => void): Run;
}
