import { Injectable } from '@nestjs/common';
import { knownOrganizations, type RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

/** Directory owns the organizations. Nothing may be stored for a short ID that the operator has mistyped. */
@Injectable()
export class Organizations {
  constructor(private readonly bus: Bus) {}

  /** @throws unknown_organization. That of a token exists, so a request of the gateway costs no further one. */
  async require(context: RequestContext): Promise<void> {
    if (context.actor.type !== 'operator') return;
    const { known } = await this.bus.request(knownOrganizations, { shortIds: [context.org] }, context);
    if (!known.includes(context.org))
      throw new AppError('unknown_organization', `There is no organization "${context.org}".`);
  }
}
