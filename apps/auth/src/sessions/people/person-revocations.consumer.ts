import { Injectable } from '@nestjs/common';
import { streams, type DirectoryEvent } from '@holdfast/contracts';
import { Consumes } from '@holdfast/messaging';
import { PersonRevocations } from './person-revocations.js';

/** Consumes the events that may end what people are signed in to. */
@Injectable()
export class PersonRevocationsConsumer {
  constructor(private readonly revocations: PersonRevocations) {}

  @Consumes(streams.directory)
  async apply(events: DirectoryEvent[]): Promise<void> {
    await this.revocations.apply(events);
  }
}
