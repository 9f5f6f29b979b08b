import { Module } from '@nestjs/common';
import { IssuerController } from './issuer.controller.js';
import { PlatformIssuerController } from './platform-issuer.controller.js';
import { AuthProxy } from './proxy/auth-proxy.js';
import { AuthReplicas } from './proxy/auth-replicas.js';
import { ResourceMetadataController } from './resource-metadata.controller.js';

/** Forwards OAuth and OpenID Connect to auth. */
@Module({
  controllers: [PlatformIssuerController, ResourceMetadataController, IssuerController],
  providers: [AuthProxy, AuthReplicas],
})
export class IssuerModule {}
