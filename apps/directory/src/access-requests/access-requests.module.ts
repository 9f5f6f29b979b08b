import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { PersonalDataEncryption } from '../people/personal-data/personal-data.js';
import { AccessRequests } from './access-requests.js';
import { CreateAccessRequestHandler } from './create-access-request.handler.js';
import { DecideAccessRequestHandler } from './decide-access-request.handler.js';
import { ExpireAccessRequests } from './expire-access-requests.js';
import { ListAccessRequestsHandler } from './list-access-requests.handler.js';

@Module({
  imports: [ChangesModule, OrganizationsModule],
  controllers: [CreateAccessRequestHandler, DecideAccessRequestHandler, ListAccessRequestsHandler],
  providers: [AccessRequests, PersonalDataEncryption, ExpireAccessRequests],
})
export class AccessRequestsModule {}
