import { repeat, Shutdown } from '@holdfast/bus';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Endings } from './endings.js';
import { StateStore } from './state-store.js';

const every = 60_000;

/** Removes what has run out. Nothing depends on it: what has run out is refused by its own time. */
@Injectable()
export class StateSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger('sweeper');

  constructor(
    private readonly store: StateStore,
    private readonly endings: Endings,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    repeat(this.shutdown, { every, work: () => this.sweep(), failed: (error) => this.logger.warn(`could not sweep: ${String(error)}`) });
  }

  async sweep(): Promise<void> {
    while ((await this.store.sweep()) === 1000);
    await this.endings.forgetOld();
  }
}
