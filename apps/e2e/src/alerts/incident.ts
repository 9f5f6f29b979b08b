import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CustomerBrowsers, redirectUris } from '../chaos/customer-browsers.fixture.ts';
import { Client } from '../clients/client.ts';
import { customerScopes } from '../clients/under-test.ts';
import type { Stack } from '../stack/stack.ts';
import type { Alert } from './promtool.ts';

/** Something that goes wrong in a running stack, and what tells the operator. */
export interface Incident {
  name: string;
  begin: (world: World) => Promise<unknown>;
  end: (world: World) => Promise<unknown>;
  /** Alerts that fire, with labels that they have. */
  alerts: Alert[];
  /** What `holdfast doctor` finds meanwhile. Empty when the incident is over before anybody can ask. */
  doctor: RegExp[];
  /** What `holdfast explain` says of a customer meanwhile, if not that they can sign in. */
  explain?: RegExp;
  /** Alerts that fire as well when the incident lasts. */
  mayFollow?: Alert[];
  /** Between two scrapes: longer when the process that fails needs longer for what it does each second. */
  scrapePauseMs?: number;
}

/** The alert `Holdfast<name>`. */
export function alert(name: string, labels: Record<string, string> = {}): Alert {
  return { alertname: `Holdfast${name}`, ...labels };
}

export function isOf(alert: Alert, expected: Alert): boolean {
  return Object.entries(expected).every(([label, value]) => alert[label] === value);
}

/** The stack, an organization with customers, and what happens there all the time. */
export class World {
  readonly stack: Stack;
  readonly shop: Client;
  readonly browsers: CustomerBrowsers;
  /** Answers each request with status 500. */
  readonly failingUrl: string;
  readonly #loops = new Set<Promise<void>>();
  #stopping = false;

  private constructor(stack: Stack, shop: Client, browsers: CustomerBrowsers, failingUrl: string) {
    this.stack = stack;
    this.shop = shop;
    this.browsers = browsers;
    this.failingUrl = failingUrl;
  }

  static async of(stack: Stack, failingUrl: string): Promise<World> {
    const org = await stack.newOrganization();
    const settings = { org, name: 'shop', kind: 'web' as const, scopes: customerScopes, redirectUris };
    const app = await stack.createApp({ ...settings, backchannelLogoutUri: failingUrl });
    return new World(stack, new Client(stack, app), await CustomerBrowsers.of(stack, app), failingUrl);
  }

  /** A client of another organization, which an incident may harm alone. */
  async otherClient(): Promise<Client> {
    const org = await this.stack.newOrganization();
    return new Client(this.stack, await this.stack.newApp(org, 'other', customerScopes));
  }

  /** Repeats work in so many loops until stopTraffic(). Failed requests are part of it. */
  repeat(loops: number, work: () => Promise<unknown>): void {
    this.#stopping = false;
    for (let i = 0; i < loops; i += 1) {
      const loop = (async () => {
        while (!this.#stopping) {
          await work().catch(() => undefined);
          await sleep(100);
        }
      })();
      this.#loops.add(loop);
    }
  }

  async stopTraffic(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#loops);
    this.#loops.clear();
  }

  /** Runs statements as the owner of the database. */
  async sql(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.stack.launcher.databaseUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
