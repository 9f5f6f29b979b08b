import { Module } from '@nestjs/common';
import { streams } from '@holdfast/contracts';
import { ClearStoredResponses, Idempotency, Outbox, outboxProvider } from '@holdfast/outbox';
import { AccessModule } from '../access/access.module.js';
import { Changes } from './changes.js';

@Module({
  imports: [AccessModule],
  providers: [outboxProvider(streams.directory), Changes, Idempotency, ClearStoredResponses],
  exports: [Changes, Idempotency, Outbox],
})
export class ChangesModule {}
