import { Module } from '@nestjs/common';
import { AssignmentsModule } from '../assignments/assignments.module.js';
import { BeginPersonSignInHandler } from './begin-person-sign-in.handler.js';
import { CompletePersonSignInHandler } from './complete-person-sign-in.handler.js';

@Module({
  imports: [AssignmentsModule],
  controllers: [BeginPersonSignInHandler, CompletePersonSignInHandler],
})
export class PersonSignInModule {}
