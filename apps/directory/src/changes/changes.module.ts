import { Module } from '@nestjs/common';
import { streams } from '@holdfast/contracts';
import { outboxProvider } from '@holdfast/outbox';
import { AccessModule } from '../access/access.module.js';
import { Changes } from './changes.js';

@Module({ imports: [AccessModule], providers: [outboxProvider(streams.directory), Changes], exports: [Changes] })
export class ChangesModule {}
