import { randomUUID } from 'node:crypto';
import type { RequestInfo } from '@holdfast/contracts';
import { newId } from '@holdfast/kit';
import type { Provider } from 'oidc-provider';
import type { ClientRecord } from '../clients/client-record.js';

/** A request as it comes to the provider, before any of its routes. */
export type HttpContext = Parameters<Parameters<Provider['use']>[0]>[0];

/** What is found out about one token request on its way, so that every step sees the same state of the client. */
export interface TokenRequest {
  info: RequestInfo;
  client?: ClientRecord;
  secretId?: string;
}

const underWay = new WeakMap<object, TokenRequest>();

const requestIdForm = /^[\x21-\x7e]{1,128}$/;
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function beginTokenRequest(ctx: HttpContext, route: string): TokenRequest {
  // The gateway sets both; they only become ours when there is none, or when they are not what they should be.
  const id = ctx.get('x-request-id');
  const traceparent = ctx.get('traceparent');
  const request: TokenRequest = {
    info: {
      id: requestIdForm.test(id) ? id : newId(),
      traceparent: traceparentForm.test(traceparent) ? traceparent : newTraceparent(),
      method: ctx.method,
      route,
    },
  };
  underWay.set(ctx, request);
  return request;
}

/** Throws where no request is under way: nothing here works outside of one. */
export function tokenRequestOf(ctx: object | undefined): TokenRequest {
  const request = ctx && underWay.get(ctx);
  if (!request) throw new Error('no token request is under way');
  return request;
}

/** Out of UUIDs, since Node makes these from a store of random bytes: a tenth of the price on a path that counts it. */
function newTraceparent(): string {
  const [trace, span] = [randomUUID(), randomUUID()].map((id) => id.replaceAll('-', ''));
  return `00-${trace}-${span!.slice(0, 16)}-01`;
}
