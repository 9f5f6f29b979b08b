import { Inject, Injectable } from '@nestjs/common';
import type { DirectoryEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { ErasureConfirmations, Outbox } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';

/** Emits `user.removed` once every service has confirmed that it has deleted the person. */
@Injectable()
export class RemovalConfirmations extends ErasureConfirmations<DirectoryEvent> {
  constructor(database: Database, outbox: Outbox, @Inject(CLOCK) clock: Clock) {
    super(database, outbox, clock, 'evt.directory.user.erasure_started', ({ user }) => ({
      type: 'user.removed',
      user,
      data: { user: user! },
    }));
  }
}
