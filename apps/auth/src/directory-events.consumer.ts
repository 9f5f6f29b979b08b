import { Injectable } from '@nestjs/common';
import { streams, type DirectoryEvent } from '@holdfast/contracts';
import { Consumes } from '@holdfast/messaging';
import { KeysInAdvance } from './keys/keys-in-advance.js';
import { PersonRevocations } from './sessions/people/person-revocations.js';

/** Consumes the events of new organizations, and those that may end what people are signed in to. */
@Injectable()
export class DirectoryEventsConsumer {
  constructor(
    private readonly keys: KeysInAdvance,
    private readonly revocations: PersonRevocations,
  ) {}

  @Consumes(streams.directory)
  async apply(events: DirectoryEvent[]): Promise<void> {
    this.keys.add(events);
    await this.revocations.apply(events);
  }
}
