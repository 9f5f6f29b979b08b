import { Module } from '@nestjs/common';
import { Freshness } from './subject/freshness.js';
import { GetSubjectHandler } from './subject/get-subject.handler.js';
import { ListSubjectsHandler } from './subject/list-subjects.handler.js';
import { SubjectReads } from './subject/subject-reads.js';
import { SubjectProjection } from './subject/subject.projection.js';

@Module({
  controllers: [ListSubjectsHandler, GetSubjectHandler],
  providers: [SubjectProjection, SubjectReads, Freshness],
})
export class SubjectsModule {}
