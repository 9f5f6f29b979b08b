import type { FactoryProvider } from '@nestjs/common';
import type { ServiceName, Stream } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Bus } from '@holdfast/messaging';
import { Readiness, Shutdown } from '@holdfast/service';
import { Outbox } from './outbox.js';
import type { RelayIntervalsMs } from './relay.js';

/** The outbox of a producing service with a running relay, which stops after the last request. */
export function outboxProvider(
  stream: Stream,
  readModel?: ServiceName,
  intervalsMs?: Partial<RelayIntervalsMs>,
): FactoryProvider<Promise<Outbox>> {
  return {
    provide: Outbox,
    inject: [Database, Bus, Shutdown, Readiness],
    useFactory: async (database: Database, bus: Bus, shutdown: Shutdown, readiness: Readiness) => {
      const outbox = new Outbox(stream, database, bus.connection, readModel);
      await outbox.relay.start(intervalsMs);
      // The service stays ready while JetStream does not store: changes commit, and their events wait in the outbox.
      readiness.addRemarks(() => outbox.probe.remarks());
      outbox.probe.start();
      shutdown.before(() => outbox.probe.stop());
      shutdown.before(() => outbox.relay.stop());
      return outbox;
    },
  };
}
