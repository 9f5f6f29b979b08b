import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { notStoringPrefix, probeStream } from '@holdfast/contracts';
import { connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestBus, type TestBus } from '@holdfast/testing';
import { jetStreamStores } from './metrics.js';
import { StoreProbe } from './store-probe.js';

const quiet = createLogger('test', 'fatal');
Logger.overrideLogger(false);
const mebibyte = 1_048_576;

let nats: TestBus;
let deploy: NatsConnection;
let directory: NatsConnection;
let probe: StoreProbe;
beforeAll(async () => {
  nats = await startTestBus({ maxFileBytes: 8 * mebibyte });
  deploy = await connectBus({ url: nats.url, nkeySeed: nats.seed('deploy'), user: 'deploy' }, quiet);
  directory = await connectBus({ url: nats.url, nkeySeed: nats.seed('directory'), user: 'directory' }, quiet);
  probe = new StoreProbe(directory, 'directory', { intervalMs: 50, timeoutMs: 1000 });
  probe.start();
});
afterAll(async () => {
  await probe.stop();
  await directory.close();
  await deploy.close();
  await nats.stop();
});

const gauge = async (): Promise<number | undefined> =>
  (await jetStreamStores.get()).values.find(({ labels }) => labels.stream === probeStream.name)?.value;

it('reports that nothing is stored when no stream takes the message', async () => {
  await eventually(() =>
    expect(probe.remarks()).toEqual([
      expect.stringMatching(
        `^${notStoringPrefix} in PROBE for \\d+ s: no stream takes the message; run holdfast bus declare$`,
      ),
    ]),
  );
  expect(await gauge()).toBe(0);
});

it('reports a full JetStream although it answers pings and requests, until there is room again', async () => {
  // JetStream is too small for the streams of production: the stream of directory uses all of it.
  await declareStreams(deploy).catch(() => undefined);
  const jsm = await jetstreamManager(deploy, { checkAPI: false });
  await jsm.streams.add({ name: probeStream.name, subjects: probeStream.subjects, max_msgs_per_subject: 1 });
  await jsm.streams.add({ name: 'DIRECTORY', subjects: ['evt.directory.>'], retention: RetentionPolicy.Limits });
  await eventually(async () => expect([probe.remarks(), await gauge()]).toEqual([[], 1]));

  const js = jetstream(directory);
  const fill = async (): Promise<void> => {
    for (;;) await js.publish('evt.directory.filler', new Uint8Array(mebibyte / 4));
  };
  await expect(fill()).rejects.toThrow('insufficient');
  await eventually(() =>
    expect(probe.remarks()).toEqual([expect.stringMatching(/in PROBE for \d+ s: .*insufficient/)]),
  );
  expect([await gauge(), (await jsm.streams.info('DIRECTORY')).state.messages > 20]).toEqual([0, true]);

  await jsm.streams.update('DIRECTORY', { max_bytes: mebibyte, discard: DiscardPolicy.Old });
  await eventually(async () => expect([probe.remarks(), await gauge()]).toEqual([[], 1]));
  expect((await jsm.streams.info(probeStream.name)).state.messages).toBe(1);
});

it('reports nothing while the server does not answer at all', async () => {
  nats.pause(true);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const remarks = probe.remarks();
  nats.pause(false);
  expect(remarks).toEqual([]);
});
