import { expect, jest, test } from '@jest/globals';
import { RequestError, RequestOne, type Msg } from '@nats-io/transport-node';
import './nats-client.js';

/** @returns the error with which the client cancels a request after its response */
function cancelledWith(): unknown {
  const request = new RequestOne({ cancel: () => undefined } as never, 'rpc.test', { timeout: 1000 }, false);
  const reject = jest.spyOn(request.deferred, 'reject');
  request.resolver(null, {} as Msg);
  return reject.mock.calls[0]?.[0];
}

test('requests that have a response share the error of their cancellation, so that none captures a stack trace', () => {
  const error = cancelledWith();
  expect(error).toBeInstanceOf(RequestError);
  expect(cancelledWith()).toBe(error);
});

test('a request without a response is cancelled with the error that is given', async () => {
  const request = new RequestOne({ cancel: () => undefined } as never, 'rpc.test', { timeout: 1000 }, false);
  request.cancel(new Error('connection lost'));
  await expect(request.deferred).rejects.toThrow('connection lost');
});
