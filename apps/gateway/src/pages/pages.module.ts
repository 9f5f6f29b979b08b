import { Module } from '@nestjs/common';
import { PAGES, readPages } from './built-pages.js';
import { PagesController } from './pages.controller.js';
import { RelatedOriginsController } from './related-origins.controller.js';

@Module({
  controllers: [PagesController, RelatedOriginsController],
  providers: [{ provide: PAGES, useFactory: () => readPages() }],
})
export class PagesModule {}
