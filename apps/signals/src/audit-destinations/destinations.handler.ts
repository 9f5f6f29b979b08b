import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestination,
  listAuditDestinations,
  pauseAuditDestination,
  rewindAuditDestination,
  rotateDestinationSecret,
  testAuditDestination,
  updateAuditDestination,
  type OperatorRead,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { LogEnds } from './delivery/log-ends.js';
import { destinationTarget } from './destination.js';
import { Destinations } from './destinations.js';
import { TestDestination } from './test-destination.js';

/** The requests about destinations. A command runs once for an Idempotency-Key. */
@Controller()
export class DestinationsHandler {
  constructor(
    private readonly bus: Bus,
    private readonly destinations: Destinations,
    private readonly ends: LogEnds,
    private readonly tests: TestDestination,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(listAuditDestinations)
  async list(
    _: RequestOf<typeof listAuditDestinations>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listAuditDestinations>> {
    await this.recordRead(context, 'audit_destination.list');
    return { items: await this.destinations.list(context) };
  }

  @Handles(getAuditDestination)
  async get(
    { id }: RequestOf<typeof getAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof getAuditDestination>> {
    const found = await this.destinations.get(context, id);
    await this.recordRead(context, 'audit_destination.read', id);
    return found;
  }

  @Handles(createAuditDestination)
  create(
    request: RequestOf<typeof createAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createAuditDestination>> {
    return this.idempotency.once(createAuditDestination, request, context, (keyed) =>
      this.destinations.create(request.destination, context, keyed, request.shared),
    );
  }

  @Handles(updateAuditDestination)
  update(
    request: RequestOf<typeof updateAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof updateAuditDestination>> {
    return this.idempotency.once(updateAuditDestination, request, context, (keyed) =>
      this.destinations.update(request.id, request.changes, context, keyed),
    );
  }

  @Handles(rotateDestinationSecret)
  rotateSecret(
    request: RequestOf<typeof rotateDestinationSecret>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rotateDestinationSecret>> {
    return this.idempotency.once(rotateDestinationSecret, request, context, (keyed) =>
      this.destinations.rotateSecret(request.id, context, keyed),
    );
  }

  @Handles(pauseAuditDestination)
  pause(
    request: RequestOf<typeof pauseAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof pauseAuditDestination>> {
    return this.idempotency.once(pauseAuditDestination, request, context, (keyed) =>
      this.destinations.pause(request.id, request.paused, context, keyed),
    );
  }

  @Handles(rewindAuditDestination)
  rewind(
    request: RequestOf<typeof rewindAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rewindAuditDestination>> {
    return this.idempotency.once(rewindAuditDestination, request, context, (keyed) =>
      this.destinations.rewind(request.id, request.after, context, keyed),
    );
  }

  @Handles(testAuditDestination)
  test(
    request: RequestOf<typeof testAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof testAuditDestination>> {
    return this.idempotency.once(testAuditDestination, request, context, (keyed) =>
      this.tests.send(request.id, context, keyed),
    );
  }

  @Handles(deleteAuditDestination)
  delete(
    request: RequestOf<typeof deleteAuditDestination>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof deleteAuditDestination>> {
    return this.idempotency.once(deleteAuditDestination, request, context, (keyed) =>
      this.destinations.delete(request.id, context, keyed),
    );
  }

  /** The record of a mistyped organization must not start its log. @throws unknown_organization, unavailable */
  private async recordRead(context: RequestContext, action: OperatorRead, id?: string): Promise<void> {
    const { actor, org } = context;
    if (actor.type !== 'operator' || org === '') return;
    if ((await this.ends.read(org)).length === 0)
      throw new AppError('unknown_organization', `There is no organization "${org}".`);
    await recordReadOfOperator(this.bus, context, action, id === undefined ? [] : [destinationTarget(id)]);
  }
}
