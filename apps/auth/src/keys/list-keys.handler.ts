import { Handles } from '@holdfast/bus';
import { listKeys, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Controller } from '@nestjs/common';
import { Organizations } from '../issuer/organizations.js';
import { issuerOf, SigningKeys } from './signing-keys.js';

@Controller()
export class ListKeysHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly keys: SigningKeys,
  ) {}

  @Handles(listKeys)
  async handle({ shortId }: RequestOf<typeof listKeys>): Promise<ReplyOf<typeof listKeys>> {
    await this.organizations.require(shortId);
    return { keys: (await this.keys.load(issuerOf(shortId))).listed };
  }
}
