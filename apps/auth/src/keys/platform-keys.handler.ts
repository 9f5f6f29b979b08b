import { Controller } from '@nestjs/common';
import { platformKeys, type ReplyOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { platform, publicJwk, SigningKeys } from './signing-keys.js';

@Controller()
export class PlatformKeysHandler {
  constructor(private readonly keys: SigningKeys) {}

  @Handles(platformKeys)
  async handle(): Promise<ReplyOf<typeof platformKeys>> {
    return { keys: (await this.keys.load(platform)).keys.map(publicJwk) };
  }
}
