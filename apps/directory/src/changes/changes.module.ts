import { Module } from '@nestjs/common';
import { streams } from '@holdfast/contracts';
import { ClearStoredResponses, Idempotency, outboxProvider } from '@holdfast/outbox';
import { AccessModule } from '../access/access.module.js';
import { Changes } from './changes.js';

@Module({
  imports: [AccessModule],
  providers: [outboxProvider(streams.directory), Changes, Idempotency, ClearStoredResponses],
  exports: [Changes, Idempotency],
})
export class ChangesModule {}
