import { randomUUID } from 'node:crypto';
import type { Action, AuditEvent } from '@holdfast/contracts';
import { callApi, type CallOptions, type Client } from '../client.ts';
import type { Reply } from '../http.ts';

/** What the log must say of one call. */
export interface ExpectedRecord {
  id: string;
  action: Action;
  actor: string;
  method: string;
  route: string;
  result: string;
  status: number;
  code?: string;
  /** Answered from an earlier request with the same Idempotency-Key. */
  replay?: true;
}

type Body = Record<string, unknown> & { code?: string; error?: string };

/** Of OAuth: "you may not"; its status does not say it. */
const denials = new Set(['invalid_client', 'invalid_scope', 'unauthorized_client', 'invalid_target', 'invalid_grant']);

function outcomeOf({
  status,
  body,
}: {
  status: number;
  body?: Body | undefined;
}): Pick<ExpectedRecord, 'result' | 'status' | 'code'> {
  const code = status < 400 ? undefined : (body?.code ?? body?.error);
  const result =
    status < 400 ? 'success' : status === 401 || status === 403 || denials.has(code ?? '') ? 'denied' : 'failure';
  return { result, status, ...(code !== undefined && { code }) };
}

/** Makes the calls of one caller, one after the other, and keeps note of what the log must say. */
export class AuditRecorder {
  readonly written: ExpectedRecord[] = [];
  /** Refusals of whom nobody knows, by what they have in common. */
  readonly counted = new Map<string, number>();
  /** What must stand in no log. */
  readonly secrets = new Map<string, string>();
  calls = 0;
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  get org(): string {
    return this.client.app.org;
  }

  /** One call with an id of its own, as the app unless told otherwise. */
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
    this.note({ id, action, actor: this.client.app.clientId, method, route }, reply);
    return reply;
  }

  /** A call under the API of the organization; in `path`, what is in braces is as in its template. */
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

  note(
    call: Omit<ExpectedRecord, 'result' | 'status' | 'code' | 'replay'>,
    reply: { status: number; body?: Body | undefined; headers?: object },
  ): void {
    const replay = new Map(Object.entries(reply.headers ?? {})).get('idempotency-replayed') === 'true';
    this.written.push({ ...call, ...outcomeOf(reply), ...(replay && { replay }) });
  }

  /** Of a call of whom nobody knows. */
  count(
    call: { action: Action; actor: string; method: string; route: string },
    reply: { status: number; body?: Body | undefined },
  ): void {
    const key = keyOf({ ...call, ...outcomeOf(reply) });
    this.counted.set(key, (this.counted.get(key) ?? 0) + 1);
  }
}

type Kind = Pick<ExpectedRecord, 'action' | 'actor' | 'method' | 'route' | 'result' | 'status' | 'code' | 'replay'>;

export function keyOf({ action, actor, method, route, result, status, code = '', replay }: Kind): string {
  return [action, actor, method, route, result, status, code, ...(replay ? ['replay'] : [])].join(' ');
}

/** An entry of the log as a recorder would have noted it. */
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
