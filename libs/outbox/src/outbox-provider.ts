import type { FactoryProvider } from '@nestjs/common';
import type { ServiceName, Stream } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Bus } from '@holdfast/messaging';
import { Readiness, Shutdown } from '@holdfast/service';
import { Outbox } from './outbox.js';

/** The outbox of a producing service, with its relay running; it stops when the last request has been answered. */
export function outboxProvider(stream: Stream, readModel?: ServiceName): FactoryProvider<Promise<Outbox>> {
  return {
    provide: Outbox,
    inject: [Database, Bus, Shutdown, Readiness],
    useFactory: async (database: Database, bus: Bus, shutdown: Shutdown, readiness: Readiness) => {
      const outbox = new Outbox(stream, database, bus.connection, readModel);
      await outbox.relay.start();
      // Ready all the same: changes are committed, and their events wait in the outbox.
      readiness.addRemarks(() => outbox.probe.remarks());
      outbox.probe.start();
      shutdown.before(() => outbox.probe.stop());
      shutdown.before(() => outbox.relay.stop());
      return outbox;
    },
  };
}
