import { Inject, Injectable } from '@nestjs/common';
import type { DirectoryEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { confirmErasures, Outbox } from '@holdfast/outbox';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';

/** Emits `user.removed` once every service has confirmed that it has deleted the person. */
@Injectable()
export class ErasureConfirmations {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'erasure_confirmations',
    intervalMs: 1000,
    failure: 'Failed to emit erasure confirmations. The people are removed already',
  })
  async emit(): Promise<void> {
    await confirmErasures<DirectoryEvent>(this.database, this.outbox, 'evt.directory.user.erasure_started', (event) =>
      confirmationOf(event, this.clock.now()),
    );
  }
}

/** The confirmation has the version of the erasure, since it changes nothing. */
function confirmationOf({ org, user, version, requestId, traceparent }: DirectoryEvent, now: Date): DirectoryEvent {
  return {
    id: newId(),
    type: 'user.removed',
    occurredAt: now.toISOString(),
    org,
    user,
    version,
    requestId,
    traceparent,
    data: { user: user! },
  };
}
