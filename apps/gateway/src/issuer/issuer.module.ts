import { Module } from '@nestjs/common';
import { TokenIssuing } from './client-credentials/token-issuing.js';
import { IssuerController } from './issuer.controller.js';
import { PlatformIssuerController } from './platform-issuer.controller.js';
import { AuthProxy } from './proxy/auth-proxy.js';
import { AuthReplicas } from './proxy/auth-replicas.js';
import { ResourceMetadataController } from './resource-metadata.controller.js';

/** Requests tokens from auth, and forwards the rest of OAuth and OpenID Connect to it. */
@Module({
  controllers: [PlatformIssuerController, ResourceMetadataController, IssuerController],
  providers: [AuthProxy, AuthReplicas, TokenIssuing],
})
export class IssuerModule {}
