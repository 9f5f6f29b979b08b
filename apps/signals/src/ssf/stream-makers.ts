import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import type { DomainEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { MakerPauses } from '../makers/maker-pauses.js';
import { streamTarget } from './stream.js';

/** What an administrator needs who made a stream, and what its receiver needs, for as long as it is sent to. */
export const operationOfMakers = 'ssf:manage';
export const scopeOfReceivers = 'ssf.manage';

const table = { name: 'ssf_stream', action: 'ssf_stream.pause', target: streamTarget } as const;

/** Pauses streams whose receiver, or whose maker, has lost its right. */
@Injectable()
export class StreamMakers {
  private readonly ofReceivers: MakerPauses;
  private readonly ofAdministrators: MakerPauses;

  constructor(database: Database, records: RecordOutbox, @Inject(CLOCK) clock: Clock) {
    const isOfReceiver = `m.type = 'app' AND d.receiver = m.id`;
    const isOfMaker = 'd.maker_type = m.type AND d.maker_id = m.id AND d.maker_id <> d.receiver';
    this.ofReceivers = new MakerPauses(
      { ...table, isOf: isOfReceiver, operation: scopeOfReceivers },
      database,
      records,
      clock,
    );
    this.ofAdministrators = new MakerPauses(
      { ...table, isOf: isOfMaker, operation: operationOfMakers },
      database,
      records,
      clock,
    );
  }

  async apply(events: readonly DomainEvent[]): Promise<void> {
    // These first: both forget who a removed maker was.
    await this.ofAdministrators.apply(events);
    await this.ofReceivers.apply(events);
  }

  /** A sender has learned that the receiver or maker of a stream, as it is in this version, has lost its right. */
  pauseOne(id: string, version: number): Promise<void> {
    return this.ofReceivers.pauseOne(id, version);
  }
}
