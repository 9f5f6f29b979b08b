import { Module } from '@nestjs/common';
import { DiagnoseSignInHandler } from './sign-in-diagnosis/diagnose-sign-in.handler.js';
import { Freshness } from './subject/freshness.js';
import { GetSubjectHandler } from './subject/get-subject.handler.js';
import { ListSubjectsHandler } from './subject/list-subjects.handler.js';
import { SubjectReads } from './subject/subject-reads.js';
import { SubjectProjection } from './subject/subject.projection.js';

@Module({
  controllers: [ListSubjectsHandler, GetSubjectHandler, DiagnoseSignInHandler],
  providers: [SubjectProjection, SubjectReads, Freshness],
})
export class SubjectsModule {}
