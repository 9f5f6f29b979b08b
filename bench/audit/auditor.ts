import type { Pool } from 'pg';
import { tokenOf } from '../cases.ts';
import type { App, Stack } from '../stack.ts';

export const org = 'acme';

/** A service app of `acme` that calls the Admin API. */
export class Auditor {
  readonly #stack: Stack;
  readonly #app: App;
  readonly #scope: string;
  #token: Promise<string> | undefined;
  #renewAtMs = 0;

  static async create(stack: Stack, ...operations: string[]): Promise<Auditor> {
    const grants = operations.flatMap((operation) => ['--grant', operation]);
    const { app, clientSecret } = (await stack.operator(
      ...['app', 'create', org, '--name', `auditor ${Date.now()}`, '--kind', 'service', ...grants],
    )) as { app: App; clientSecret: string };
    return new Auditor(stack, { ...app, clientSecret }, operations.join(' '));
  }

  private constructor(stack: Stack, app: App, scope: string) {
    this.#stack = stack;
    this.#app = app;
    this.#scope = scope;
  }

  /** @throws unless the response is a success */
  async fetch(
    path: string,
    { method = 'GET', json, signal }: { method?: string; json?: unknown; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${await this.#accessToken()}` };
    const response = await fetch(`${this.#stack.baseUrl}/o/${org}/api/admin/audit/${path}`, {
      method,
      headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw new Error(`${method} ${path} of the audit log: ${await response.text()}`);
    return response;
  }

  /** Access tokens live ten minutes. */
  #accessToken(): Promise<string> {
    if (performance.now() >= this.#renewAtMs) this.#token = undefined;
    this.#renewAtMs = this.#token ? this.#renewAtMs : performance.now() + 300_000;
    return (this.#token ??= tokenOf(this.#stack, this.#app, this.#scope));
  }
}

export async function sizeOfLog(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seq: string }>('SELECT seq FROM audit.head WHERE org = $1', [org]);
  return Number(rows[0]?.seq ?? 0);
}

/** Entries that analytics have not counted yet. */
export async function uncounted(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ n: string }>(
    `SELECT h.seq - coalesce(c.seq, 0) AS n FROM audit.head h LEFT JOIN audit.analytics_cursor c USING (org)
      WHERE org = $1`,
    [org],
  );
  return Number(rows[0]?.n ?? 0);
}
