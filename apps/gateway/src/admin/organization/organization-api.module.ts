import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../../requests/forward.js';
import { RequestsModule } from '../../requests/requests.module.js';

const { organization, credentialTypes, presencePolicy, issuerKeys, rpId } = forwardedEndpoints;

@Module({
  imports: [RequestsModule],
  controllers: [forwardingController([...organization, ...credentialTypes, ...presencePolicy, ...issuerKeys, ...rpId])],
})
export class OrganizationApiModule {}
