import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { MakerPauses } from '../makers/maker-pauses.js';
import { endpointTarget } from './endpoint.js';

/** What a maker of an endpoint needs, for as long as it is sent to. */
export const operationOfMakers = 'webhooks:manage';

/** Events after the last one of the feed wait there until an endpoint `d` is resumed. */
export const heldAfter = (endpoint: string): string =>
  `coalesce(${endpoint}.held_after, (SELECT seq FROM head WHERE org = ${endpoint}.org), 0)`;

/** Pauses the endpoints of makers that may not manage webhooks any more. */
@Injectable()
export class EndpointMakers extends MakerPauses {
  constructor(database: Database, records: RecordOutbox, @Inject(CLOCK) clock: Clock) {
    const table = {
      name: 'webhook_endpoint',
      alsoSets: `, held_after = ${heldAfter('d')}`,
      operation: operationOfMakers,
      action: 'webhook_endpoint.pause',
      target: endpointTarget,
    } as const;
    super(table, database, records, clock);
  }
}
