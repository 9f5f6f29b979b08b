import { Controller } from '@nestjs/common';
import { assign, unassign, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { Assignments } from './assignments.js';

@Controller()
export class ChangeAssignmentsHandler {
  constructor(
    private readonly assignments: Assignments,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(assign)
  assign(request: RequestOf<typeof assign>, context: RequestContext): Promise<ReplyOf<typeof assign>> {
    const { clientId, assignee } = request;
    return this.idempotency.once(assign, request, context, (keyed) =>
      this.assignments.assign(clientId, assignee, context, keyed),
    );
  }

  @Handles(unassign)
  unassign(request: RequestOf<typeof unassign>, context: RequestContext): Promise<ReplyOf<typeof unassign>> {
    const { clientId, assignment } = request;
    return this.idempotency.once(unassign, request, context, (keyed) =>
      this.assignments.unassign(clientId, assignment, context, keyed),
    );
  }
}
