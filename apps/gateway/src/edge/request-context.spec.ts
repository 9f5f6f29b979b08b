import { expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { anonymousContextOf, newRequestContext } from './request-context.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const customer = '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03';
const trace = customer.replaceAll('-', '');

function contextOf(headers: object) {
  const request = { headers, method: 'GET', routeOptions: { url: '/o/:shortId/api' } } as unknown as FastifyRequest;
  request.requestContext = newRequestContext(request);
  return { requestContext: request.requestContext, context: anonymousContextOf(request, 'acme') };
}

test('what a caller chooses is answered, and travels apart from our own ids, which alone are logged', () => {
  const { requestContext, context } = contextOf({
    'x-request-id': customer,
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
  });
  expect(requestContext.shown).toMatchObject({
    requestId: customer,
    trace: { traceparent: expect.stringContaining(trace) as unknown },
  });
  expect(context.request).toMatchObject({
    id: requestContext.requestId,
    callerId: customer,
    callerTraceparent: requestContext.shown.trace.traceparent,
  });
  expect(requestContext.requestId).toMatch(uuid);
  expect(
    JSON.stringify([requestContext.requestId, requestContext.trace, context.request.id, context.request.traceparent]),
  ).not.toMatch(new RegExp(`${customer}|${trace}`));
});

test('a caller who chooses nothing, or nothing that is an id, is answered ours', () => {
  for (const headers of [{}, { 'x-request-id': 'a b', traceparent: 'x' }]) {
    const { requestContext, context } = contextOf(headers);
    expect(requestContext.shown).toEqual({ requestId: requestContext.requestId, trace: requestContext.trace });
    expect(Object.keys(context.request)).toEqual(['id', 'traceparent', 'method', 'route']);
  }
});
