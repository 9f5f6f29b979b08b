import { Module } from '@nestjs/common';
import { AuditWriter, RefusalCounter } from '@holdfast/audit-client';
import { knownOrganizations } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';

/** Audit records of requests that no service records together with its change. */
@Module({
  providers: [
    { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) },
    { provide: RefusalCounter, inject: [Bus], useFactory: refusalCounter },
  ],
})
export class AuditRecordsModule {}

function refusalCounter(bus: Bus): RefusalCounter {
  const exists = async (shortId: string) =>
    (await bus.request(knownOrganizations, { shortIds: [shortId] }, systemContext('gateway'))).known.length > 0;
  return new RefusalCounter(bus, 'gateway', exists);
}
