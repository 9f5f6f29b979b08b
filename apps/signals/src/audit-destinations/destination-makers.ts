import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { MakerPauses } from '../makers/maker-pauses.js';
import { destinationTarget } from './destination.js';

/** What a maker of a destination needs, for as long as it is sent to. */
export const operationOfMakers = 'audit:export';

/** Pauses the destinations of makers that may not export the log any more. */
@Injectable()
export class DestinationMakers extends MakerPauses {
  constructor(database: Database, records: RecordOutbox, @Inject(CLOCK) clock: Clock) {
    const table = {
      name: 'audit_destination',
      operation: operationOfMakers,
      action: 'audit_destination.pause',
      target: destinationTarget,
    } as const;
    super(table, database, records, clock);
  }
}
