import { Module } from '@nestjs/common';
import { PAGES, readPages } from './built-pages.js';
import { LogosController } from './logos.controller.js';
import { PagesController } from './pages.controller.js';
import { RelatedOriginsController } from './related-origins.controller.js';
import { StartPagesController } from './start-pages.controller.js';
import { WellKnownController } from './well-known.controller.js';

@Module({
  controllers: [PagesController, RelatedOriginsController, StartPagesController, LogosController, WellKnownController],
  providers: [{ provide: PAGES, useFactory: () => readPages() }],
})
export class PagesModule {}
