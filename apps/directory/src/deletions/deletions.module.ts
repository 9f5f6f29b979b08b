import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { FinishDeletions } from './finish-deletions.js';

@Module({ imports: [ChangesModule], providers: [FinishDeletions] })
export class DeletionsModule {}
