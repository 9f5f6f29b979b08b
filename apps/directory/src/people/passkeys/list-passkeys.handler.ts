import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { listPersonPasskeys, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { targetOf } from '../people.js';
import { findPerson } from '../people.repository.js';
import { passkeysOf, toPasskey } from './passkeys.repository.js';

@Controller()
export class ListPasskeysHandler {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Handles(listPersonPasskeys)
  async handle(
    { person: id }: RequestOf<typeof listPersonPasskeys>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listPersonPasskeys>> {
    const person = await findPerson(this.database, id, context.org);
    const passkeys = await passkeysOf(this.database, person);
    await recordReadOfOperator(this.bus, context, 'passkey.list', [targetOf(id)]);
    return { items: passkeys.map(toPasskey) };
  }
}
