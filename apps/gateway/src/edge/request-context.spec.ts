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

test('ids of the caller are in the response and travel apart from our own ids', () => {
  const { requestContext, context } = contextOf({
    'x-request-id': customer,
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
  });
  expect(requestContext.responseIds).toMatchObject({
    requestId: customer,
    trace: { traceparent: expect.stringContaining(trace) as unknown },
  });
  expect(context.request).toMatchObject({
    id: requestContext.requestId,
    callerId: customer,
    callerTraceparent: requestContext.responseIds.trace.traceparent,
  });
  expect(requestContext.requestId).toMatch(uuid);
  expect(
    JSON.stringify([requestContext.requestId, requestContext.trace, context.request.id, context.request.traceparent]),
  ).not.toMatch(new RegExp(`${customer}|${trace}`));
});

test('without valid ids of the caller, our own ids are in the response', () => {
  for (const headers of [{}, { 'x-request-id': 'a b', traceparent: 'x' }]) {
    const { requestContext, context } = contextOf(headers);
    expect(requestContext.responseIds).toEqual({ requestId: requestContext.requestId, trace: requestContext.trace });
    expect(Object.keys(context.request)).toEqual(['id', 'traceparent', 'method', 'route']);
  }
});
