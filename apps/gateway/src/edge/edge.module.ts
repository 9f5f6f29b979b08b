import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProblemFilter } from './problems/problem.filter.js';

@Module({ providers: [{ provide: APP_FILTER, useClass: ProblemFilter }] })
export class EdgeModule {}
