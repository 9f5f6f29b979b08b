import { Module } from '@nestjs/common';
import { Resources } from '../requests/resources.js';
import { IssuedController } from './issued.controller.js';
import { OffersController } from './offers.controller.js';
import { SubjectsController } from './subjects.controller.js';

@Module({ controllers: [OffersController, SubjectsController, IssuedController], providers: [Resources] })
export class CredentialsModule {}
