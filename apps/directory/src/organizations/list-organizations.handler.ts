import { Controller } from '@nestjs/common';
import { listOrganizations, type ReplyOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from './organizations.js';

@Controller()
export class ListOrganizationsHandler {
  constructor(private readonly organizations: Organizations) {}

  @Handles(listOrganizations)
  async handle(): Promise<ReplyOf<typeof listOrganizations>> {
    return { items: await this.organizations.list() };
  }
}
