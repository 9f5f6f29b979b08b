import { randomUUID } from 'node:crypto';
import type { Action, AuditEvent } from '@holdfast/contracts';
import { callApi, type CallOptions, type Client } from '../clients/client.ts';
import type { Reply } from '../clients/http.ts';

/** The record that the log must have of one request. */
export interface ExpectedRecord {
  id: string;
  action: Action;
  actor: string;
  method: string;
  route: string;
  result: string;
  status: number;
  code?: string;
  /** The response was replayed from an earlier request with the same Idempotency-Key. */
  replay?: true;
}

type Body = Record<string, unknown> & { code?: string; error?: string };

/** OAuth errors that deny a request, with status 400 all the same. */
const denyingErrors = new Set([
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'invalid_target',
  'invalid_grant',
]);

function outcomeOf({
  status,
  body,
}: {
  status: number;
  body?: Body | undefined;
}): Pick<ExpectedRecord, 'result' | 'status' | 'code'> {
  const code = status < 400 ? undefined : (body?.code ?? body?.error);
  const result =
    status < 400 ? 'success' : status === 401 || status === 403 || denyingErrors.has(code ?? '') ? 'denied' : 'failure';
  return { result, status, ...(code !== undefined && { code }) };
}

/** Sends the requests of one caller, one after the other, and records what the log must have of them. */
export class AuditRecorder {
  readonly expected: ExpectedRecord[] = [];
  /** How many requests of unknown callers were denied, by key. The log counts them instead of recording each. */
  readonly expectedCounts = new Map<string, number>();
  /** What no log may contain. */
  readonly secrets = new Map<string, string>();
  calls = 0;
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  get org(): string {
    return this.client.app.org;
  }

  /** Sends one request with its own id, as the app unless `options` have another `authorization`. */
  async call(
    action: Action,
    method: string,
    path: string,
    route: string,
    options: CallOptions = {},
  ): Promise<Reply<Body>> {
    const id = this.id();
    const authorization = `Bearer ${await this.client.token()}`;
    const reply = await callApi<Body>(this.client.stack, method, path, {
      ...options,
      headers: { authorization, ...options.headers, 'x-request-id': id },
    });
    this.expectRecord({ id, action, actor: this.client.app.clientId, method, route }, reply);
    return reply;
  }

  /** Sends a request below the API of the organization. `values` replace the parameters of the path. */
  api(
    action: Action,
    method: string,
    template: string,
    values: Record<string, string> = {},
    options: CallOptions & { query?: string } = {},
  ): Promise<Reply<Body>> {
    const { query = '', ...rest } = options;
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? randomUUID()));
    return this.call(action, method, `${this.client.api}${path}${query}`, `/o/{shortId}/api${template}`, rest);
  }

  id(): string {
    this.calls += 1;
    return randomUUID();
  }

  expectRecord(
    call: Omit<ExpectedRecord, 'result' | 'status' | 'code' | 'replay'>,
    reply: { status: number; body?: Body | undefined; headers?: object },
  ): void {
    const replay = new Map(Object.entries(reply.headers ?? {})).get('idempotency-replayed') === 'true';
    this.expected.push({ ...call, ...outcomeOf(reply), ...(replay && { replay }) });
  }

  /** For a request of an unknown caller, which the log only counts. */
  expectCount(
    call: { action: Action; actor: string; method: string; route: string },
    reply: { status: number; body?: Body | undefined },
  ): void {
    const key = keyOf({ ...call, ...outcomeOf(reply) });
    this.expectedCounts.set(key, (this.expectedCounts.get(key) ?? 0) + 1);
  }
}

type KeyFields = Pick<
  ExpectedRecord,
  'action' | 'actor' | 'method' | 'route' | 'result' | 'status' | 'code' | 'replay'
>;

export function keyOf({ action, actor, method, route, result, status, code = '', replay }: KeyFields): string {
  return [action, actor, method, route, result, status, code, ...(replay ? ['replay'] : [])].join(' ');
}

/** An entry of the log in the form that a recorder expects. */
export function recordOf({ action, actor, request, outcome }: AuditEvent): ExpectedRecord {
  const { result, status = 0, code, replay } = outcome;
  return {
    id: request.id,
    action,
    actor: actor.id,
    method: request.method,
    route: request.route,
    result,
    status,
    ...(code !== undefined && { code }),
    ...(replay && { replay }),
  };
}
