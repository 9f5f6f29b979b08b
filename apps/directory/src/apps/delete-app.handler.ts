import { Controller } from '@nestjs/common';
import { deleteApp, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Apps } from './apps.js';

/** The operator may delete every app but those that are part of Holdfast. */
@Controller()
export class DeleteAppHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(deleteApp)
  handle({ clientId }: RequestOf<typeof deleteApp>, context: RequestContext): Promise<ReplyOf<typeof deleteApp>> {
    return this.apps.delete({ clientId, right: 'apps:manage' }, context, ({ builtIn }) => {
      if (builtIn)
        throw new AppError('app_protected', 'The app is part of Holdfast.', {
          targets: [{ type: 'app', id: clientId }],
        });
    });
  }
}
