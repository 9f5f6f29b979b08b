import type { IncomingMessage } from 'node:http';
import type { AdapterPayload, Provider } from 'oidc-provider';
import {
  internalHeaders,
  type Actor,
  type App,
  type AuditRecord,
  type RequestContext,
  type RequestInfo,
} from '@holdfast/contracts';
import { networkOf, newId, personalOrigin, randomForIds, type CheckedJwk } from '@holdfast/platform';
import type { ClientRecord } from '../clients/client-record.js';

/** A request to oidc-provider before routing. */
export type HttpContext = Parameters<Parameters<Provider['use']>[0]>[0];

/** State of one request to an issuer, so that every step of it uses the same record of the client. */
export interface IssuerRequest {
  info: RequestInfo;
  /** Address and user agent, which only records of customers and people contain. */
  personalOrigin: Pick<RequestInfo, 'address' | 'userAgent'>;
  /** Denied requests of one network are counted together (networkOf). */
  network: string;
  /** The client id in the request, whether or not such a client exists. */
  presentedClientId?: string;
  client?: ClientRecord;
  /** Set when the client authenticated with this secret, or with the key of this id. */
  secretId?: string;
  /** Keys with which the client may authenticate in this request. */
  clientKeys?: readonly CheckedJwk[];
  /** The key that verified a client assertion, until it is known to be presented for the first time. */
  assertionKey?: string;
  /** Whose session the request uses, at the endpoints that have one (session-audience.ts). */
  audience?: App['audience'];
  /** The customer or person whom the request is about. */
  subject?: string;
  /** The live credential of the customer. */
  credential?: string;
  /** Why the person may not sign in to the app, or has to sign in again. */
  denial?: PersonDenial;
  /** Version of the customer or person at the sign-in from which the code, token or session results. */
  version?: number;
  /** The customer's passkey at that sign-in. */
  passkey?: string;
  /** How they signed in. */
  authentication?: { acr?: string; amr?: string[] };
  /** The request repeats the use of a refresh token within the grace period and gets the same successor. */
  repeated?: boolean;
  /** Grant of the code or token that was found last, until the library looks it up. */
  grant?: AdapterPayload;
  /** Record of the change that the request made, committed with it. */
  change?: AuditRecord;
}

/** `sign_in_ended`: the sign-in does not count any more, for example after a recovery. */
export type PersonDenial = 'deactivated' | 'not_assigned' | 'unknown' | 'sign_in_ended';

const requests = new WeakMap<object, IssuerRequest>();

const requestIdForm = /^[\x21-\x7e]{1,128}$/;
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function beginIssuerRequest(ctx: HttpContext, route: string): IssuerRequest {
  const request = createIssuerRequest(ctx.req, route);
  requests.set(ctx, request);
  return request;
}

/** The gateway overwrites the header with the client's address, so a client cannot forge it. */
export function createIssuerRequest(request: IncomingMessage, route: string): IssuerRequest {
  const { [internalHeaders.clientAddress]: given, 'user-agent': userAgent } = request.headers;
  const address = typeof given === 'string' ? given : '';
  return {
    info: requestInfoOf(request, route),
    personalOrigin: personalOrigin(address, userAgent),
    network: networkOf(address),
  };
}

/** The gateway sets request id and trace. Missing and malformed ones are replaced. */
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

/** The actor of a request without authentication. */
export const anonymous: Actor = { type: 'anonymous', id: 'anonymous' };

export function requestContextOf({ info, client }: IssuerRequest, org: string): RequestContext {
  const actor: Actor = client ? { type: 'app', id: client.app.clientId, name: client.app.name } : anonymous;
  return { org, actor, request: info, auditId: newId() };
}

export function currentIssuerRequest(ctx: object | undefined): IssuerRequest | undefined {
  return ctx && requests.get(ctx);
}

/** @throws outside of a request to an issuer */
export function issuerRequestOf(ctx: object | undefined): IssuerRequest {
  const request = currentIssuerRequest(ctx);
  if (!request) throw new Error('there is no current request to an issuer');
  return request;
}

/** The sign-in from which stored state results. */
export interface StateOrigin {
  /** Version of the customer or person when they signed in. */
  version?: number;
  /** The customer's passkey. */
  passkey?: string;
  /** The credential with which they signed in to the app. */
  credential?: string;
  /** The app, when it signs people in. */
  peopleApp?: string;
}

/** Whether a request is about a customer or a person: its app decides, or else the session that it uses. */
export function humanOf({ client, audience }: Pick<IssuerRequest, 'client' | 'audience'>): 'customer' | 'person' {
  return (client?.app.audience ?? audience) === 'people' ? 'person' : 'customer';
}

/** The sign-in from which state results that the current request stores; undefined outside of a request. */
export function originOf(ctx: object | undefined): StateOrigin | undefined {
  const request = currentIssuerRequest(ctx);
  if (!request) return undefined;
  const { version, passkey, credential, client } = request;
  return {
    ...(version !== undefined && { version }),
    ...(passkey !== undefined && { passkey }),
    ...(credential !== undefined && { credential }),
    ...(client && humanOf(request) === 'person' && { peopleApp: client.app.clientId }),
  };
}

function newTraceparent(): string {
  const random = randomForIds(24).toString('hex');
  return `00-${random.slice(16)}-${random.slice(0, 16)}-00`;
}
