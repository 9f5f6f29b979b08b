import { expect, test } from '@jest/globals';
import { JetStreamApiError } from '@nats-io/jetstream';
import { whenKnown } from './declare.js';

const refusing = (times: number, code: number, errCode: number) => {
  let requests = 0;
  return () => {
    requests += 1;
    return requests > times
      ? Promise.resolve(requests)
      : Promise.reject(new JetStreamApiError({ code, err_code: errCode, description: 'refused' }));
  };
};

test.each([
  ['does not know the stream yet', 404, 10_059],
  ['knows too few servers', 400, 10_005],
])('a request is repeated while the server that responds %s', async (_, code, errCode) => {
  expect(await whenKnown(refusing(2, code, errCode), 1)).toBe(3);
});

test('a request that is refused for another reason fails at once', async () => {
  await expect(whenKnown(refusing(1, 400, 10_052), 1)).rejects.toThrow('refused');
});
