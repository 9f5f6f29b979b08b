import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { z } from 'zod';
import { createApp, createOrganization, type AppKind, type Contract, type ReplyOf } from '@holdfast/contracts';
import { runInHost, type CommandResult } from './command-line-host.ts';
import { cleanEnvironment } from './config.ts';
import { busClient, operatorActor } from './nats.ts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Commands that need secrets or ports beside the operator's and the owner's access: tools/holdfast.mjs adds them. */
const needsMore = new Set(['bus', 'database', 'demo', 'doctor', 'support-bundle']);

export interface App {
  name: string;
  kind: AppKind;
  org: string;
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  credentialType?: string;
  scopes: string[];
}

interface DemoType {
  name: string;
  validity?: string;
  renewalWindow?: string;
  revocable: boolean;
  isDefault: boolean;
}

/** demo.json, a stable contract for examples, tools and these tests. */
export interface Demo {
  baseUrl: string;
  services: { name: string; replica: number; pid: number | null; readyUrl: string }[];
  organizations: {
    shortId: string;
    issuer: string;
    presence: 'optional' | 'required';
    credentialTypes: DemoType[];
    apps: Omit<App, 'org'>[];
    groups: { id: string; name: string }[];
    owner: { id: string; email: string; name: string; status: string };
    ownerInvitationUrl?: string;
  }[];
}

interface LauncherFile {
  /** Folder of the stack's own copy of the build. */
  build: string;
  natsUrl: string;
  databaseUrl: string;
  /** By service, in a stack with `--own-databases`. */
  databaseUrls?: Record<string, string>;
  /** Further shards, by name. */
  shards?: Record<string, { natsUrl: string; databaseUrl: string }>;
  control: { port: number; token: string };
}

/** The members of secrets.json, by the names of docs/reference/secrets.md. */
export type StackSecrets = Record<string, string>;

export type ControlAction = 'start' | 'stop' | 'reload' | 'kill' | 'pause' | 'resume' | 'cut' | 'mend';

/** A running stack from outside: its addresses, the operator's command line and the launcher's control server. */
export class Stack {
  readonly home: string;
  /**
   * False while services of several versions run. Then responses are not validated against /openapi.json, which
   * describes one version only.
   */
  isDocumented = true;
  /** Folder of another version's build whose command line the operator uses, instead of this version's. */
  commandLineBuild?: string;
  readonly #files = new Map<string, { version: string; content: unknown }>();

  constructor(home: string) {
    this.home = home;
  }

  get demo(): Demo {
    return this.#read<Demo>('demo.json');
  }

  get launcher(): LauncherFile {
    return this.#read<LauncherFile>('launcher.json');
  }

  get secrets(): StackSecrets {
    return this.#read<StackSecrets>('secrets.json');
  }

  get baseUrl(): string {
    return this.demo.baseUrl;
  }

  /** Address of each gateway, by replica. */
  get gateways(): string[] {
    const found = this.demo.services.filter((s) => s.name === 'gateway').sort((a, b) => a.replica - b.replica);
    return found.map(({ readyUrl }) => new URL(readyUrl).origin);
  }

  /** An app of the demo organizations. */
  app(org: string, name: string): App {
    const found = this.demo.organizations.find((o) => o.shortId === org)?.apps.find((a) => a.name === name);
    if (!found) throw new Error(`demo.json has no app ${name} of ${org}`);
    return { ...found, org };
  }

  /**
   * Starts, stops, reloads, kills, pauses, resumes, cuts off or mends a service (`subjects`) or one replica
   * (`subjects-2`), postgres or nats. A start may have its own settings and another version's build.
   */
  async control(
    action: ControlAction,
    target: string,
    options: { settings?: Record<string, string>; build?: string } = {},
  ): Promise<void> {
    const { port, token } = this.launcher.control;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}/${action}/${target}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(options),
    });
    if (!response.ok) throw new Error(`the launcher could not ${action} ${target}: ${await response.text()}`);
  }

  /** Runs a command of the operator and resolves to its JSON output. Rejects when the command fails. */
  async operator<Printed = unknown>(...args: string[]): Promise<Printed> {
    if (this.commandLineBuild === undefined && !needsMore.has(args[0]!)) {
      const done = await this.printed(...args, '--json');
      if (done.exitCode === 0) return JSON.parse(done.stdout) as Printed;
      const message = `holdfast ${args.join(' ')} failed: ${done.stderr}`;
      throw Object.assign(new Error(message), { code: done.exitCode, stderr: done.stderr });
    }
    const [program, env] = this.#commandLine();
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
      env: cleanEnvironment(env),
    });
    return JSON.parse(stdout) as Printed;
  }

  /** What a command of the operator prints for people, and its exit code. */
  async printed(...args: string[]): Promise<CommandResult> {
    const { build } = this.launcher;
    const [, env] = this.#builtCommandLine(build);
    return runInHost({ build, env, args });
  }

  /** The same with standard input. */
  async operatorWith<Printed = unknown>(input: string, ...args: string[]): Promise<Printed> {
    const [program, env] = this.#commandLine();
    const running = promisify(execFile)(process.execPath, [program, ...args, '--json'], { env: cleanEnvironment(env) });
    running.child.stdin?.end(input);
    return JSON.parse((await running).stdout) as Printed;
  }

  /**
   * Sends one request as the operator. The command line does the same in a process of its own, whose start takes a
   * second.
   */
  async request<C extends Contract>(contract: C, input: z.input<C['request']>, org = ''): Promise<ReplyOf<C>> {
    const client = await busClient(this, 'operator', org, operatorActor);
    try {
      return await client.request(contract, input);
    } finally {
      await client.close();
    }
  }

  /** Creates an organization for one test, so that tests do not affect each other. */
  async newOrganization(): Promise<string> {
    const shortId = newShortId();
    await this.request(createOrganization, { shortId, name: shortId }, shortId);
    return shortId;
  }

  async newApp(
    org: string,
    name: string,
    grants: string[],
    kind: AppKind = 'web',
    redirectUris: string[] = [],
  ): Promise<App> {
    return this.createApp({ org, name, kind, scopes: grants, redirectUris });
  }

  /** The secret of an app that has none is empty. */
  async createApp(settings: z.input<(typeof createApp)['request']>): Promise<App> {
    const { app, clientSecret = '' } = await this.request(createApp, settings, settings.org);
    return { ...app, clientSecret };
  }

  #commandLine(): [program: string, env: Record<string, string>] {
    if (this.commandLineBuild === undefined) return [join(root, 'tools', 'holdfast.mjs'), { HOLDFAST_HOME: this.home }];
    return this.#builtCommandLine(this.commandLineBuild);
  }

  #builtCommandLine(build: string): [program: string, env: Record<string, string>] {
    const { natsUrl, databaseUrl, shards = {} } = this.launcher;
    const further = Object.entries(shards).map(([name, ofShard]) => `${name}=${ofShard.natsUrl}`);
    return [
      join(build, 'apps', 'cli', 'dist', 'main.js'),
      {
        NATS_URL: natsUrl,
        NATS_NKEY_SEED: this.secrets.NATS_NKEY_SEED_OPERATOR!,
        BASE_URL: this.baseUrl,
        DATABASE_URL: databaseUrl,
        ...(further.length > 0 && {
          SHARDS: further.join(';'),
          SHARD_DATABASE_URLS: Object.entries({ main: { databaseUrl }, ...shards })
            .map(([name, ofShard]) => `${name}=${ofShard.databaseUrl}`)
            .join(';'),
        }),
      },
    ];
  }

  /** Parsed once: every request of a client needs an address, and demo.json is large. A changed file is another one. */
  #read<T>(name: string): T {
    const file = join(this.home, name);
    const { ino, mtimeMs } = statSync(file);
    const version = `${ino} ${mtimeMs}`;
    const known = this.#files.get(name);
    if (known?.version === version) return known.content as T;
    const content = JSON.parse(readFileSync(file, 'utf8')) as T;
    this.#files.set(name, { version, content });
    return content;
  }
}

export function newShortId(): string {
  return `e2e-${randomBytes(6).toString('hex')}`;
}
