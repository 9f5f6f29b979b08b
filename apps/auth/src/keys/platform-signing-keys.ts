import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CLOCK, type Clock } from '@holdfast/platform';
import { KeyWatch } from './key-watch.js';
import { platform, SigningKeys, type KeySet } from './signing-keys.js';

/** The platform's keys in this process. They follow rotations by any replica, within a second. */
@Injectable()
export class PlatformSigningKeys implements OnModuleInit {
  private readonly logger = new Logger('platform keys');
  private loaded!: KeySet;
  private loading?: Promise<void>;

  constructor(
    private readonly keys: SigningKeys,
    watch: KeyWatch,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    watch.onChange((issuer, version) => {
      if (issuer === platform && version > this.loaded.version) this.reload();
    });
  }

  async onModuleInit(): Promise<void> {
    this.loaded = await this.keys.load(platform);
  }

  /** The key that signs comes first. The same object until the keys change. */
  get current(): KeySet {
    if (this.loaded.changesAt <= this.clock.now().getTime()) this.reload();
    return this.loaded;
  }

  /** While the database is away, the keys from before stay in use: they are published for a day. */
  private reload(): void {
    this.loading ??= this.keys
      .load(platform)
      .then((loaded) => void (this.loaded = loaded))
      .catch((error: unknown) => this.logger.warn(`The platform's keys could not be loaded again: ${String(error)}`))
      .finally(() => (this.loading = undefined));
  }
}
