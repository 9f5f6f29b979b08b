import { Controller } from '@nestjs/common';
import { Handles } from '@holdfast/bus';
import { platformKeys, type ReplyOf } from '@holdfast/contracts';
import { platform, publicJwk, SigningKeys } from './signing-keys.js';

@Controller()
export class PlatformKeysHandler {
  constructor(private readonly keys: SigningKeys) {}

  @Handles(platformKeys)
  async handle(): Promise<ReplyOf<typeof platformKeys>> {
    return { keys: (await this.keys.load(platform)).keys.map(publicJwk) };
  }
}
