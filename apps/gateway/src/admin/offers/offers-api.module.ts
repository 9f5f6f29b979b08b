import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AdminOffersController } from './admin-offers.controller.js';

@Module({ controllers: [AdminOffersController], providers: [Resources] })
export class OffersApiModule {}
