import { Module } from '@nestjs/common';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import { knownOrganizations } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';

/** Audit records of requests that no service records together with its change. */
@Module({
  providers: [
    { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) },
    { provide: DeniedRequestCounter, inject: [Bus], useFactory: deniedRequestCounter },
  ],
  exports: [AuditWriter],
})
export class AuditRecordsModule {}

function deniedRequestCounter(bus: Bus): DeniedRequestCounter {
  const exists = async (shortId: string) =>
    (await bus.request(knownOrganizations, { shortIds: [shortId] }, systemContext('gateway'))).known.length > 0;
  return new DeniedRequestCounter(bus, 'gateway', exists);
}
