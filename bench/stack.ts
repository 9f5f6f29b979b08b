import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { allStats, cpuOfTree } from './processes.ts';

interface Member {
  name: string;
  pid: number | null;
  readyUrl: string | null;
}

export interface App {
  clientId: string;
  clientSecret: string;
  scopes: string[];
  redirectUris: string[];
}

const thisClone = fileURLToPath(new URL('..', import.meta.url));

/** The running stack, as the files in its folder describe it. */
export class Stack {
  readonly baseUrl: string;
  /** Connects as the owner of the database. */
  readonly databaseUrl: string;
  readonly shop: App;
  readonly natsUrl: string;
  /** The members of secrets.json, by the names of docs/reference/secrets.md. */
  readonly secrets: Record<string, string>;
  readonly #commandLine: string;
  readonly #home: string;
  readonly #control: { port: number; token: string };

  /** @param clone whose command line the stack understands */
  constructor(home: string, clone = thisClone) {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(home, file), 'utf8'));
    const launcher = read('launcher.json') as {
      baseUrl: string;
      natsUrl: string;
      databaseUrl: string;
      control: { port: number; token: string };
    };
    const demo = read('demo.json') as { organizations: { shortId: string; apps: (App & { name: string })[] }[] };
    this.#commandLine = join(clone, 'tools', 'holdfast.mjs');
    this.#home = home;
    this.#control = launcher.control;
    this.baseUrl = launcher.baseUrl;
    this.databaseUrl = launcher.databaseUrl;
    this.natsUrl = launcher.natsUrl;
    this.secrets = read('secrets.json') as Record<string, string>;
    this.shop = demo.organizations.find((o) => o.shortId === 'acme')!.apps.find((a) => a.name === 'shop')!;
  }

  async members(): Promise<{ name: string; pid: number }[]> {
    const members = (await this.#request('GET', 'list')) as Member[];
    return members.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }]));
  }

  /** The metrics of a service in Prometheus' text format. */
  async metricsOf(name: string): Promise<string> {
    const { readyUrl } = ((await this.#request('GET', 'list')) as Member[]).find((m) => m.name === name)!;
    return (await fetch(new URL('/metrics', readyUrl!))).text();
  }

  async stopMember(name: string): Promise<void> {
    await this.#request('POST', `stop/${name}`);
  }

  /** Resolves when it is ready. */
  async startMember(name: string): Promise<void> {
    await this.#request('POST', `start/${name}`);
  }

  /** CPU time of each process of the stack so far, in µs. */
  async cpu(): Promise<Map<string, number>> {
    const members = await this.members();
    const all = allStats();
    return new Map(members.map(({ name, pid }) => [name, cpuOfTree(pid, all)]));
  }

  /** Runs a command of the operator and resolves to its JSON output. */
  async operator(...args: string[]): Promise<unknown> {
    const env = { ...process.env, HOLDFAST_HOME: this.#home };
    const { stdout } = await promisify(execFile)(process.execPath, [this.#commandLine, ...args, '--json'], { env });
    return JSON.parse(stdout);
  }

  async #request(method: string, path: string): Promise<unknown> {
    const { port, token } = this.#control;
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`The launcher rejected ${path}: ${await response.text()}`);
    return response.json();
  }
}
