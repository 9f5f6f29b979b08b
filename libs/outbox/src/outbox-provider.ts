import type { FactoryProvider } from '@nestjs/common';
import type { ServiceName, Stream } from '@holdfast/contracts';
import { Database, LazyDatabase, type DatabaseOptions } from '@holdfast/data';
import { Bus, Shards } from '@holdfast/messaging';
import { CONFIG, Readiness, Shutdown } from '@holdfast/service';
import { Outbox } from './outbox.js';
import type { RelayIntervalsMs } from './relay.js';

/** A read model that shows the changes of a service, and where its watermarks are. */
export interface ReadModel<Config> {
  service: ServiceName;
  /** The read model's own database; undefined when it is that of the service. */
  database(config: Config): DatabaseOptions | undefined;
}

/** The outbox of a producing service with a running relay, which stops after the last request. */
export function outboxProvider<Config = unknown>(
  stream: Stream,
  readModel?: ReadModel<Config>,
  intervalsMs?: Partial<RelayIntervalsMs>,
): FactoryProvider<Promise<Outbox>> {
  return {
    provide: Outbox,
    inject: [Database, Bus, Shards, Shutdown, Readiness, CONFIG],
    useFactory: async (
      database: Database,
      bus: Bus,
      shards: Shards,
      shutdown: Shutdown,
      readiness: Readiness,
      config: Config,
    ) => {
      const elsewhere = readModel?.database(config);
      const watermarks = elsewhere && new LazyDatabase(elsewhere);
      const outbox = new Outbox(stream, database, bus.connection, readModel?.service, watermarks);
      await outbox.relay.start(intervalsMs);
      const [own] = outbox.lanes;
      own!.probe.start();
      // Only a service that exists once for all shards has further buses.
      shards.onConnected(async ({ name, bus: ofShard }) => {
        const lane = outbox.addShard(name, ofShard.connection);
        await lane.relay.start(intervalsMs);
        lane.probe.start();
      });
      // The service stays ready while JetStream does not store: changes commit, and their events wait in the outbox.
      readiness.addProblems(() => outbox.lanes.flatMap(({ probe }) => probe.remarks()));
      shutdown.before(() => stopAll(outbox.lanes.map(({ probe }) => probe)));
      shutdown.before(() => stopAll(outbox.lanes.map(({ relay }) => relay)));
      if (watermarks) shutdown.before(() => watermarks.close());
      return outbox;
    },
  };
}

async function stopAll(parts: readonly { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(parts.map((part) => part.stop()));
}
