import { Controller } from '@nestjs/common';
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  removeGroupMembers,
  updateGroup,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { OperatorReads } from '../organizations/operator-reads.js';
import { Groups } from './groups.js';
import { Members } from './members.js';

/** The commands about groups. Each runs once for an Idempotency-Key. */
@Controller()
export class ChangeGroupsHandler {
  constructor(
    private readonly groups: Groups,
    private readonly members: Members,
    private readonly reads: OperatorReads,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(createGroup)
  async create(request: RequestOf<typeof createGroup>, context: RequestContext): Promise<ReplyOf<typeof createGroup>> {
    await this.reads.requireOrganization(context);
    return this.idempotency.once(createGroup, request, context, (keyed) =>
      this.groups.create(request.group, context, keyed),
    );
  }

  @Handles(updateGroup)
  update(request: RequestOf<typeof updateGroup>, context: RequestContext): Promise<ReplyOf<typeof updateGroup>> {
    const { group, changes } = request;
    return this.idempotency.once(updateGroup, request, context, (keyed) =>
      this.groups.update(group, changes, context, keyed),
    );
  }

  @Handles(deleteGroup)
  delete(request: RequestOf<typeof deleteGroup>, context: RequestContext): Promise<ReplyOf<typeof deleteGroup>> {
    return this.idempotency.once(deleteGroup, request, context, (keyed) =>
      this.groups.delete(request.group, context, keyed),
    );
  }

  @Handles(addGroupMembers)
  add(request: RequestOf<typeof addGroupMembers>, context: RequestContext): Promise<ReplyOf<typeof addGroupMembers>> {
    return this.idempotency.once(addGroupMembers, request, context, (keyed) =>
      this.members.add(request, context, keyed),
    );
  }

  @Handles(removeGroupMembers)
  remove(
    request: RequestOf<typeof removeGroupMembers>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof removeGroupMembers>> {
    return this.idempotency.once(removeGroupMembers, request, context, (keyed) =>
      this.members.remove(request, context, keyed),
    );
  }
}
