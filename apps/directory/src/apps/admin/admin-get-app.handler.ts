import { Controller } from '@nestjs/common';
import { adminGetApp, type ManagedApp, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { requireManaged, toManagedApp } from './managed-apps.js';

/** GET …/admin/apps/{clientId} */
@Controller()
export class AdminGetAppHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(adminGetApp)
  async handle({ clientId, right }: RequestOf<typeof adminGetApp>, { org }: RequestContext): Promise<ManagedApp> {
    return toManagedApp(requireManaged(await this.apps.findOf(org, clientId), right));
  }
}
