import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import {
  internalHeaders,
  type Actor,
  type AuditRecord,
  type RequestContext,
  type RequestInfo,
} from '@holdfast/contracts';
import { networkOf, newId, personalOrigin } from '@holdfast/platform';
import type { ClientRecord } from '../clients/client-record.js';

/** A request as it comes to the provider, before any of its routes. */
export type HttpContext = Parameters<Parameters<Provider['use']>[0]>[0];

/**
 * What is found out about one request to an issuer on its way, so that every step sees the same state of the client.
 */
export interface IssuerRequest {
  info: RequestInfo;
  /** Where it came from, should it be a customer's. */
  person: Pick<RequestInfo, 'address' | 'userAgent'>;
  /** Whose refusals are counted together (networkOf). */
  network: string;
  /** The client that the request names, whether there is one or not. */
  presentedClientId?: string;
  client?: ClientRecord;
  secretId?: string;
  /** The customer whom it is about, and the credential by which they are known. */
  subject?: string;
  credential?: string;
  /** Version of that customer at the sign-in that is believed here. */
  version?: number;
  /** How they signed in, as far as it is known here. */
  authentication?: { acr?: string; amr?: string[] };
  /** A refresh token that was used a moment ago was used again, and its successor given out once more. */
  repeated?: boolean;
  /** Of what it changed: committed with the change, and on its way to the log. */
  change?: AuditRecord;
}

const underWay = new WeakMap<object, IssuerRequest>();

const requestIdForm = /^[\x21-\x7e]{1,128}$/;
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function beginIssuerRequest(ctx: HttpContext, route: string): IssuerRequest {
  const request = issuerRequest(ctx.req, route);
  underWay.set(ctx, request);
  return request;
}

/** Of an address only the gateway knows; a client that names one under this header is not heard there. */
export function issuerRequest(request: IncomingMessage, route: string): IssuerRequest {
  const { [internalHeaders.clientAddress]: given, 'user-agent': userAgent } = request.headers;
  const address = typeof given === 'string' ? given : '';
  return {
    info: requestInfoOf(request, route),
    person: personalOrigin(address, userAgent),
    network: networkOf(address),
  };
}

/**
 * The gateway sets both headers; they only become ours when there is none, or when they are not what they should be.
 */
function requestInfoOf({ headers, method = '' }: IncomingMessage, route: string): RequestInfo {
  const {
    'x-request-id': id,
    traceparent,
    [internalHeaders.callerRequestId]: callerId,
    [internalHeaders.callerTraceparent]: callerTraceparent,
  } = headers;
  return {
    id: typeof id === 'string' && requestIdForm.test(id) ? id : newId(),
    traceparent: typeof traceparent === 'string' && traceparentForm.test(traceparent) ? traceparent : newTraceparent(),
    ...(typeof callerId === 'string' && requestIdForm.test(callerId) && { callerId }),
    ...(typeof callerTraceparent === 'string' && traceparentForm.test(callerTraceparent) && { callerTraceparent }),
    method,
    route,
  };
}

/** Nobody in particular: somebody who has not proved to be anyone. */
export const anonymous: Actor = { type: 'anonymous', id: 'anonymous' };

export function requestContextOf({ info, client }: IssuerRequest, org: string): RequestContext {
  const actor: Actor = client ? { type: 'app', id: client.app.clientId, name: client.app.name } : anonymous;
  return { org, actor, request: info, auditId: newId() };
}

/** Throws where no request is under way: nothing here works outside of one. */
export function issuerRequestOf(ctx: object | undefined): IssuerRequest {
  const request = ctx && underWay.get(ctx);
  if (!request) throw new Error('no token request is under way');
  return request;
}

/** What is stored by the request under way came of the sign-in that it believes; outside of one that is not known. */
export function originOf(ctx: object | undefined): { version?: number; credential?: string } | undefined {
  return ctx && underWay.get(ctx);
}

/** Out of UUIDs, since Node makes these from a store of random bytes: a tenth of the price on a path that counts it. */
function newTraceparent(): string {
  const [trace, span] = [randomUUID(), randomUUID()].map((id) => id.replaceAll('-', ''));
  return `00-${trace}-${span!.slice(0, 16)}-01`;
}
